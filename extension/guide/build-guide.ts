// Builds the guide of a user, afresh for every request.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPool } from '../../host-shim/extension-api';
import { apiUpdate } from '../../manifests/reader/catalog';
import { MANIFEST_DIRECTORY, type Manifest } from '../../manifests/reader/manifest';
import type { InstalledContract } from '../contracts/contract';
import { isEnabled } from '../qal/types/contract';
import { permittedSites } from '../storage/sites/list-sites';
import { describeSites } from './describe-sites';
import type { Guide, GuideSection, GuideText } from './guide';

export interface GuideContext {
  readonly contract: InstalledContract;
  readonly manifest: Manifest;
  /** Tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  readonly database: ReadPool;
  readonly now: Date;
  readonly pluginVersion: string;
  readonly docsUrl: string;
  readonly queryTimeoutSeconds: number;
}

/** Builds the guide for a user under a contract. */
export async function buildGuide(context: GuideContext): Promise<Guide> {
  const { contract, manifest, now, pluginVersion, docsUrl, queryTimeoutSeconds } = context;
  const { rules, format } = contract;
  const permitted = await permittedSites(context.database, context.sites);
  const [sites, sections] = await Promise.all([
    describeSites(permitted, context),
    readSections(format.guideTexts, rules.features),
  ]);
  return {
    version: contract.version,
    apiUpdate: apiUpdate(manifest, rules, (feature) => isEnabled(contract, feature)),
    timestamp: now,
    pluginVersion,
    features: rules.features,
    sites,
    limits: {
      maxRows: rules.limits.max_rows,
      queryTimeoutSeconds,
    },
    documentation: { source: docsUrl, sections },
  };
}

/** The texts with their content, read at each request so that they are those of this version. */
function readSections(
  texts: readonly GuideText[],
  features: Guide['features'],
): Promise<readonly GuideSection[]> {
  return Promise.all(
    texts.map(async ({ path, ...section }) => {
      const content = await readFile(join(MANIFEST_DIRECTORY, path), 'utf8');
      return { ...section, content: section.format === 'yaml' ? asSwitched(content, features) : content };
    }),
  );
}

/** Features that are switched off here are off in the YAML too, which clients take for the authority. */
function asSwitched(yaml: string, features: Guide['features']): string {
  const off = [...features].filter(([, { enabled }]) => !enabled).map(([name]) => name);
  const entry = new RegExp(`^(  (?:${off.join('|')}): \\{)enabled: true, since: '[^']*'`, 'gm');
  return yaml.replace(entry, '$1enabled: false');
}
