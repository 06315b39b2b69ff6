import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { ReadPool } from '../../../host-shim/extension-api';
import { apiUpdate, materialNames, materialOf } from '../../../manifests/reader/catalog';
import {
  MANIFEST_DIRECTORY,
  MATERIALS_FILE,
  type Manifest,
  type Material,
} from '../../../manifests/reader/manifest';
import { COLUMN_TYPES, type ColumnType } from '../../../manifests/reader/schema';
import { servedMaterials } from '../../../manifests/reader/served-materials';
import { permittedSites } from '../../data/storage/sites/list-sites';
import type { Workers } from '../../data/storage/workers';
import { type Contract, isEnabled } from '../../language/types/contract';
import type { InstalledContract } from '../contracts/contract';
import { describeSites } from './describe-sites';
import {
  GUIDE_PARTS,
  type Guide,
  type GuideSection,
  type GuideSite,
  type GuideText,
  type RequestedParts,
} from './guide';

const README_FILE = 'guide/README.md';

export interface GuideContext {
  readonly contract: InstalledContract;
  readonly manifest: Manifest;
  readonly sites: 'all' | readonly string[];
  readonly database: ReadPool;
  readonly workers: Pick<Workers, 'reachable'>;
  readonly now: Date;
  readonly pluginVersion: string;
  readonly docsUrl: string;
  readonly queryTimeoutSeconds: number;
  readonly maxAnswerBytes: number;
  /** Materials whose availability is read even if the contract does not publish it. */
  readonly measured?: readonly string[];
}

/** With `requested`, fills in only the sites and documents that belong to those parts. */
export async function buildGuide(context: GuideContext, requested?: RequestedParts): Promise<Guide> {
  const { contract, manifest, now, pluginVersion, docsUrl, queryTimeoutSeconds, maxAnswerBytes } = context;
  const { rules } = contract;
  return {
    version: contract.version,
    apiUpdate: apiUpdate(manifest, rules, (feature) => isEnabled(contract, feature)),
    timestamp: now,
    pluginVersion,
    features: rules.features,
    sites: await sitesOf(context, requested),
    limits: { maxRows: rules.limits.max_rows, queryTimeoutSeconds, maxAnswerBytes },
    documentation: { source: docsUrl, sections: await readSections(context, requested) },
  };
}

async function sitesOf(
  context: GuideContext,
  requested: RequestedParts | undefined,
): Promise<readonly GuideSite[]> {
  const { contract, manifest, database } = context;
  const keys = [...(requested?.parts ?? [])].flatMap((part): readonly string[] => GUIDE_PARTS[part]);
  if (requested !== undefined && !keys.includes('sites')) return [];
  const published = contract.rules.publishesAvailability ? materialNames(manifest, contract.rules) : [];
  const counted = [...published, ...(context.measured ?? [])];
  const measured = counted.flatMap((name) => manifest.materials.get(name) ?? []);
  return describeSites(await permittedSites(database, context.sites), { ...context, measured });
}

async function readSections(
  context: GuideContext,
  requested: RequestedParts | undefined,
): Promise<readonly GuideSection[]> {
  const { contract } = context;
  const isRequested = ({ parts = [], onDemand }: GuideText) =>
    requested === undefined ? onDemand !== true : parts.some((part) => requested.parts.has(part));
  const texts = contract.format.guideTexts.filter(isRequested);
  return Promise.all(
    texts.map(async ({ path, parts: _parts, onDemand: _onDemand, ...section }): Promise<GuideSection> => {
      const content = await readFile(join(MANIFEST_DIRECTORY, path), 'utf8');
      return { ...section, content: served(path, content, context, requested) };
    }),
  );
}

/** Omits features that are switched off, because clients treat the manifests as authoritative. */
function served(
  path: string,
  content: string,
  { contract, manifest }: GuideContext,
  requested: RequestedParts | undefined,
): string {
  if (path === MATERIALS_FILE)
    return materialsText(content, contract, requested?.materials ?? new Set(manifest.materials.keys()));
  if (path === README_FILE) return readmeText(content, { contract, manifest });
  return path.endsWith('.yaml') ? asSwitched(content, contract.rules.features) : content;
}

/** Cached, because generating such a text blocks all requests for about ten milliseconds. */
const recentTexts = new LRUCache<string, string>({ max: 100 });

function materialsText(yaml: string, contract: Contract, names: ReadonlySet<string>): string {
  const isOn = (feature: string): boolean => isEnabled(contract, feature);
  const features = [...contract.rules.features.keys()].filter(isOn);
  const source = JSON.stringify([yaml, contract.version, features, [...names]]);
  const key = createHash('sha256').update(source).digest('base64');
  const text = recentTexts.get(key) ?? servedMaterials(yaml, contract, isOn, names);
  recentTexts.set(key, text);
  return text;
}

function asSwitched(yaml: string, features: Guide['features']): string {
  const off = [...features].filter(([, { enabled }]) => !enabled).map(([name]) => name);
  const entry = new RegExp(`^(  (?:${off.join('|')}): \\{)enabled: true, since: '[^']*'`, 'gm');
  return yaml.replace(entry, '$1enabled: false');
}

export function readmeText(
  instructions: string,
  { contract, manifest }: { readonly contract: Contract; readonly manifest: Manifest },
): string {
  const off = [...contract.rules.features].flatMap(([name, { enabled }]) => (enabled ? [] : [name]));
  const materials = materialNames(manifest, contract.rules).flatMap(
    (name) => materialOf(manifest, contract.rules, name) ?? [],
  );
  const isOn = ({ feature }: { readonly feature?: string | undefined }) =>
    feature === undefined || isEnabled(contract, feature);
  return [
    instructions.trimEnd(),
    '',
    '## Columns by type',
    '',
    ...materials
      .filter(isOn)
      .map((material, index) => materialLine(material, materials.slice(0, index), isOn)),
    '',
    `Off here: ${off.join(', ')}.`,
    '',
  ].join('\n');
}

const TYPE_NAMES: Readonly<Record<ColumnType, string>> = {
  id: 'ids',
  int: 'whole numbers',
  num: 'numbers',
  flag: '0 or 1',
  text: 'text',
  datetime: 'date-time',
  date: 'date',
};

function materialLine(
  { name, columns, join }: Material,
  before: readonly Material[],
  isOn: (column: { readonly feature?: string | undefined }) => boolean,
): string {
  const like = before.find((other) => [...other.columns.keys()].every((column) => columns.has(column)));
  const named = [...columns.values()].filter(
    (column) => isOn(column) && like?.columns.has(column.name) !== true,
  );
  const groups = COLUMN_TYPES.flatMap((type) => {
    const names = named.filter((column) => column.type === type).map((column) => column.name);
    return names.length === 0 ? [] : [`${TYPE_NAMES[type]}: ${names.join(' ')}`];
  });
  const keys = [...join.keys()];
  const parts = [
    ...(keys.length > 0 ? [`join by ${keys.join(' ')}`] : []),
    ...(like === undefined ? [] : [`all columns of ${like.name}`]),
    ...groups,
  ];
  return `- \`${name}\`: ${parts.join('; ')}`;
}
