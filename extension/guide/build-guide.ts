// Builds the guide of a user, afresh for every request.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadPool } from '../../host-shim/extension-api';
import { apiUpdate, materialNames } from '../../manifests/reader/catalog';
import { MANIFEST_DIRECTORY, MATERIALS_FILE, type Manifest } from '../../manifests/reader/manifest';
import { servedMaterials } from '../../manifests/reader/served-materials';
import type { InstalledContract } from '../contracts/contract';
import { isEnabled } from '../qal/types/contract';
import { permittedSites } from '../storage/sites/list-sites';
import { compactGuide } from './compact-guide';
import { describeSites } from './describe-sites';
import type { AskedParts, Guide, GuidePart, GuideSection, GuideSite, GuideText } from './guide';

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

/** Builds the guide for a user under a contract; of its sites and texts only those of `asked`, where that is given. */
export async function buildGuide(context: GuideContext, asked?: AskedParts): Promise<Guide> {
  const { contract, manifest, now, pluginVersion, docsUrl, queryTimeoutSeconds } = context;
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
    },
    documentation: { source: docsUrl, sections: await readSections(sites, context, asked) },
  };
}

/** For the compact guide with the days of page views. */
async function sitesOf(context: GuideContext, asked: AskedParts | undefined): Promise<readonly GuideSite[]> {
  const { contract, manifest, database } = context;
  const isCompact = asked?.parts.has('compact') === true;
  if (asked !== undefined && !isCompact && !asked.parts.has('sites')) return [];
  const all = contract.rules.publishesAvailability ? materialNames(manifest, contract.rules) : [];
  const counted = isCompact ? ['allpv'] : all;
  const measured = counted.flatMap((name) => manifest.materials.get(name) ?? []);
  return describeSites(await permittedSites(database, context.sites), { ...context, measured });
}

/** The texts with their content, read at each request so that they are those of this version. */
async function readSections(
  sites: readonly GuideSite[],
  context: GuideContext,
  asked: AskedParts | undefined,
): Promise<readonly GuideSection[]> {
  const { contract } = context;
  const isAsked = ({ part, onDemand }: GuideText) =>
    asked === undefined ? onDemand !== true : part !== undefined && asked.parts.has(part);
  const texts = contract.format.guideTexts.filter(isAsked);
  const sections = await Promise.all(
    texts.map(async ({ path, part: _part, onDemand: _onDemand, ...section }): Promise<GuideSection> => {
      const content = await readFile(join(MANIFEST_DIRECTORY, path), 'utf8');
      return { ...section, content: served(path, content, context, asked) };
    }),
  );
  return asked?.parts.has('compact') === true
    ? [await compactSection(sites, context), ...sections]
    : sections;
}

/** A manifest as far as it is on here; clients take it for the authority. */
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
  return path.endsWith('.yaml') ? asSwitched(content, contract.rules.features) : content;
}

function asSwitched(yaml: string, features: Guide['features']): string {
  const off = [...features].filter(([, { enabled }]) => !enabled).map(([name]) => name);
  const entry = new RegExp(`^(  (?:${off.join('|')}): \\{)enabled: true, since: '[^']*'`, 'gm');
  return yaml.replace(entry, '$1enabled: false');
}

async function compactSection(sites: readonly GuideSite[], context: GuideContext): Promise<GuideSection> {
  const { contract, manifest } = context;
  const part: GuidePart = 'instructions';
  const text = contract.format.guideTexts.find((it) => it.part === part);
  if (text === undefined) throw new Error(`The contract ${contract.version} has no ${part}.`);
  const instructions = await readFile(join(MANIFEST_DIRECTORY, text.path), 'utf8');
  return {
    category: 'instructions',
    file: 'compact.md',
    title: 'Compact guide',
    format: 'markdown',
    content: compactGuide(instructions, sites, { contract, manifest }),
  };
}
