// Builds the guide of a user, afresh for every request.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPool } from '../../../host-shim/extension-api';
import { apiUpdate, materialNames } from '../../../manifests/reader/catalog';
import { MANIFEST_DIRECTORY, MATERIALS_FILE, type Manifest } from '../../../manifests/reader/manifest';
import { servedMaterials } from '../../../manifests/reader/served-materials';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { isEnabled } from '../../language/types/contract';
import type { InstalledContract } from '../contracts/contract';
import { describeSites } from './describe-sites';
import {
  type AskedParts,
  GUIDE_PARTS,
  type Guide,
  type GuideSection,
  type GuideSite,
  type GuideText,
} from './guide';
import { readmeText } from './readme-text';

/** Below the manifests. */
const README_FILE = 'guide/README.md';

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
  readonly maxAnswerBytes: number;
  /** Materials whose amount of data on each site is read, besides those of which the contract says it. */
  readonly measured?: readonly string[];
}

/** Builds the guide for a user under a contract; of its sites and texts only those of `asked`, where that is given. */
export async function buildGuide(context: GuideContext, asked?: AskedParts): Promise<Guide> {
  const { contract, manifest, now, pluginVersion, docsUrl, queryTimeoutSeconds, maxAnswerBytes } = context;
  const { rules } = contract;
  const sites = await sitesOf(context, asked);
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
      maxAnswerBytes,
    },
    documentation: { source: docsUrl, sections: await readSections(context, asked) },
  };
}

/** Whether one of the asked parts fills that key of the guide. */
const hasKey = ({ parts }: AskedParts, key: string): boolean =>
  [...parts].some((part) => GUIDE_PARTS[part].some((filled) => filled === key));

async function sitesOf(context: GuideContext, asked: AskedParts | undefined): Promise<readonly GuideSite[]> {
  const { contract, manifest, database } = context;
  if (asked !== undefined && !hasKey(asked, 'sites')) return [];
  const published = contract.rules.publishesAvailability ? materialNames(manifest, contract.rules) : [];
  const counted = [...published, ...(context.measured ?? [])];
  const measured = counted.flatMap((name) => manifest.materials.get(name) ?? []);
  return describeSites(await permittedSites(database, context.sites), { ...context, measured });
}

/** The texts with their content, read at each request so that they are those of this version. */
async function readSections(
  context: GuideContext,
  asked: AskedParts | undefined,
): Promise<readonly GuideSection[]> {
  const { contract } = context;
  const isAsked = ({ parts = [], onDemand }: GuideText) =>
    asked === undefined ? onDemand !== true : parts.some((part) => asked.parts.has(part));
  const texts = contract.format.guideTexts.filter(isAsked);
  return Promise.all(
    texts.map(async ({ path, parts: _parts, onDemand: _onDemand, ...section }): Promise<GuideSection> => {
      const content = await readFile(join(MANIFEST_DIRECTORY, path), 'utf8');
      return { ...section, content: served(path, content, context, asked) };
    }),
  );
}

/** A text as far as it is on here; clients take the manifests for the authority. */
function served(
  path: string,
  content: string,
  { contract, manifest }: GuideContext,
  asked: AskedParts | undefined,
): string {
  if (path === MATERIALS_FILE)
    return servedMaterials(
      content,
      contract,
      (feature) => isEnabled(contract, feature),
      asked?.materials ?? new Set(manifest.materials.keys()),
    );
  if (path === README_FILE) return readmeText(content, { contract, manifest });
  return path.endsWith('.yaml') ? asSwitched(content, contract.rules.features) : content;
}

function asSwitched(yaml: string, features: Guide['features']): string {
  const off = [...features].filter(([, { enabled }]) => !enabled).map(([name]) => name);
  const entry = new RegExp(`^(  (?:${off.join('|')}): \\{)enabled: true, since: '[^']*'`, 'gm');
  return yaml.replace(entry, '$1enabled: false');
}
