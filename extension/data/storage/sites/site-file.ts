// Parses a sites file: sites with their goals.
import { YAMLException } from 'js-yaml';
import { z } from 'zod';
import { missingLists, siteChannelRules } from '../../../../manifests/reader/channels';
import { loadYaml } from '../../../../manifests/reader/load-yaml';
import { loadManifest } from '../../../../manifests/reader/manifest';
import { TRACKING_ID } from '../../../language/types/tracking-id';
import { type FieldFault, faultsOf, siteFault, strict } from '../field-faults';
import { goalNameKey, goalSchema } from '../goals/goal-schema';
import { hostName, nameText } from '../plain-text';
import { importRulesSchema } from './import-rules';
import { isTimezone, ZONE_FAULT } from './zone-name';

const MAX_NAME_LENGTH = 200;
const name = nameText(MAX_NAME_LENGTH);
/** A century. */
const MAX_RETENTION_DAYS = 36_500;

const fields = {
  tracking_id: z
    .string()
    .max(64, 'must be at most 64 characters long')
    .regex(TRACKING_ID, 'must consist of letters, digits, _ and -')
    .refine((id) => id !== 'all', 'must not be "all", which means all sites together'),
  domain: hostName,
  name,
  timezone: z.string().refine(isTimezone, ZONE_FAULT),
  default: z.boolean().default(false),
  /** Visits are removed this many days after they end; null for never. */
  retention_days: z.int().min(1).max(MAX_RETENTION_DAYS).nullable().default(null),
};

export const siteFieldsSchema = strict(fields);

const siteSchema = strict({
  ...fields,
  import: importRulesSchema.optional(),
  channels: siteChannelRules
    .superRefine((rules, context) => {
      for (const { path, message } of missingLists(rules, loadManifest().channels))
        context.addIssue({ code: 'custom', path: [path], message });
    })
    .optional(),
  goals: z
    .array(goalSchema)
    .default([])
    .superRefine(refuseDuplicates((one) => one.id, 'id'))
    .superRefine(refuseDuplicates((one) => goalNameKey(one.name), 'name')),
});

const siteFileSchema = strict({
  sites: z
    .array(siteSchema)
    .min(1, 'must list at least one site')
    .superRefine(refuseDuplicates((site) => site.tracking_id, 'tracking_id'))
    .superRefine((sites, context) => {
      const [, second] = sites.flatMap((site, place) => (site.default ? [place] : []));
      if (second !== undefined) {
        context.addIssue({
          code: 'custom',
          path: [second, 'default'],
          message: 'only one site can be the default',
        });
      }
    }),
});

export type SiteEntry = z.infer<typeof siteSchema>;
export type SiteFields = z.infer<typeof siteFieldsSchema>;

/** Thrown if the sites file is invalid; nothing in it is applied. */
export class SitesError extends Error {
  override readonly name = 'SitesError';
  constructor(readonly faults: readonly FieldFault[]) {
    super(['The sites file has errors:', ...faults.map((one) => `  ${one.path}: ${one.message}`)].join('\n'));
  }
}

/** Throws a SitesError if the text is not YAML. */
export function readSiteYaml(yaml: string): unknown {
  try {
    return loadYaml(yaml);
  } catch (error) {
    if (error instanceof YAMLException) throw new SitesError([{ path: 'the file', message: error.message }]);
    throw error;
  }
}

/** Throws a SitesError that lists all errors. */
export function parseSiteFile(file: unknown): readonly SiteEntry[] {
  const parsed = siteFileSchema.safeParse(file, { error: siteFault });
  if (parsed.success) return parsed.data.sites;
  throw new SitesError(
    faultsOf(parsed.error).map(({ path, message }) => ({ path: path || 'the file', message })),
  );
}

function refuseDuplicates<K extends string, T extends Readonly<Record<K, unknown>>>(
  keyOf: (item: T) => unknown,
  name: K,
) {
  return (items: readonly T[], context: z.RefinementCtx): void => {
    const seen = new Set<unknown>();
    items.forEach((item, place) => {
      if (seen.has(keyOf(item))) {
        context.addIssue({
          code: 'custom',
          path: [place, name],
          message: `${String(item[name])} occurs twice`,
        });
      }
      seen.add(keyOf(item));
    });
  };
}
