// The rules that determine a visit's channel from its source, medium and click id.
import { z } from 'zod';
import { deepFreeze } from './freeze';
import { KNOWN_WORDS } from './known-words';
import { type ManifestFault, readYaml, stopOnFaults } from './read-yaml';

export const CHANNELS_FILE = 'channels.yaml';

/** Each rule, shipped or a site's own, is one bit of a single number, which must stay exact. */
const MAX_RULES = 40;
const MAX_OWN_RULES = 12;
const MAX_TEXTS = 500;
const MAX_TEXT_LENGTH = 200;
const LIST = '@';

const name = z
  .string()
  .min(1)
  .max(MAX_TEXT_LENGTH)
  .refine((text) => text.trim() === text, 'must not begin or end with a space');
const text = z
  .string()
  .min(1)
  .max(MAX_TEXT_LENGTH)
  .regex(/^\*?[^*]+\*?$/, 'may have * only at its beginning and end');
const texts = z.array(text).min(1).max(MAX_TEXTS);
const wanted = z.array(text.nullable()).min(1).max(MAX_TEXTS).optional();

const ruleSchema = z
  .strictObject({ channel: name, source: wanted, medium: wanted, click_id: wanted })
  .refine(({ source, medium, click_id }) => (source ?? medium ?? click_id) !== undefined, {
    message: 'must have a source, a medium or a click_id',
  });
const rulesSchema = z.array(ruleSchema).max(MAX_RULES);

const channelsFileSchema = z.strictObject({
  lists: z.record(z.string(), texts),
  rules: rulesSchema.min(1),
  otherwise: name,
});
type ChannelsFile = z.infer<typeof channelsFileSchema>;

/** A site's channel rules in the sites file. The shipped rules come after them, unless `defaults` is false. */
export const siteChannelRules = z.strictObject({
  lists: z.record(name, texts).optional(),
  rules: rulesSchema.max(MAX_OWN_RULES),
  defaults: z.boolean().optional(),
  otherwise: name.optional(),
});
export type SiteChannelRules = z.infer<typeof siteChannelRules>;

/** All conditions must hold. A condition holds if one of its patterns matches; null matches a missing value. */
export type ChannelRule = Readonly<z.infer<typeof ruleSchema>>;

/** The first rule that holds determines the channel. Lists are replaced with their patterns. */
export interface ChannelRules {
  readonly rules: readonly ChannelRule[];
  readonly otherwise: string;
}

/** The shipped rules and their lists, which a site's rules may also use. */
export interface Channels extends ChannelRules {
  readonly lists: ChannelsFile['lists'];
  /** The rules as written, with list names instead of patterns. */
  readonly written: readonly ChannelRule[];
}

/** Text is compared in lower case. Only ASCII letters are converted, as in both engines. */
const foldCase = (given: string | null): string | null =>
  given?.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ?? null;

const CLICK_ID_LISTS: Channels['lists'] = Object.fromEntries(
  Map.groupBy(Object.keys(KNOWN_WORDS.click_ids), (clickId) => KNOWN_WORDS.click_ids[clickId] ?? ''),
);

/** Throws a ManifestError with every error in the file. */
export function loadChannels(directory: string): Channels {
  const file = readYaml(CHANNELS_FILE, channelsFileSchema, directory);
  const { rules, otherwise } = file;
  const lists = { ...file.lists, ...CLICK_ID_LISTS };
  stopOnFaults(CHANNELS_FILE, unknownLists(rules, lists));
  return deepFreeze({ lists, written: rules, rules: rules.map((rule) => withTexts(rule, lists)), otherwise });
}

const CONDITIONS = ['source', 'medium', 'click_id'] as const;

function unknownLists(rules: readonly ChannelRule[], lists: Channels['lists']): readonly ManifestFault[] {
  return rules.flatMap((rule, index) =>
    CONDITIONS.flatMap((field) =>
      (rule[field] ?? []).flatMap((one) =>
        one?.startsWith(LIST) && !Object.hasOwn(lists, one.slice(1))
          ? [
              {
                path: `rules[${index}].${field}`,
                message: `${one} is not a list; the lists are ${Object.keys(lists).join(', ')}`,
              },
            ]
          : [],
      ),
    ),
  );
}

/** Replaces lists with their patterns. */
function withTexts(rule: ChannelRule, lists: Channels['lists']): ChannelRule {
  const expanded = CONDITIONS.flatMap((field) => {
    const all = rule[field]?.flatMap((one) => (one?.startsWith(LIST) ? (lists[one.slice(1)] ?? []) : [one]));
    return all === undefined ? [] : [[field, [...new Set(all.map(foldCase))]] as const];
  });
  return { channel: rule.channel, ...Object.fromEntries(expanded) };
}

/** The lists that a site's rules name, but that neither the site nor the program defines. */
export const missingLists = (
  { lists, rules }: SiteChannelRules,
  shipped: Channels,
): readonly ManifestFault[] => unknownLists(rules, { ...shipped.lists, ...lists });

export function channelsOfSite(
  { lists, rules, defaults = true, otherwise }: SiteChannelRules,
  shipped: Channels,
): ChannelRules {
  const own = rules.map((rule) => withTexts(rule, { ...shipped.lists, ...lists }));
  return { rules: defaults ? [...own, ...shipped.rules] : own, otherwise: otherwise ?? shipped.otherwise };
}

/** All channels that the rules can assign, without duplicates. */
export const channelNames = ({
  rules,
  otherwise,
}: Pick<SiteChannelRules, 'rules' | 'otherwise'> | ChannelRules): readonly string[] => [
  ...new Set([...rules.map(({ channel }) => channel), ...(otherwise === undefined ? [] : [otherwise])]),
];
