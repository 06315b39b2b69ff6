// Owns what the guide tells: features, the user's sites, and the texts shipped with this installation.
// user's sites + contract -> Guide. Texts are read at request time, so that the guide is always of this version.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { apiUpdate } from '../manifests/reader/catalog';
import {
  CONTRACTS_FOLDER,
  MANIFEST_DIRECTORY,
  MATERIALS_FILE,
  type Manifest,
} from '../manifests/reader/manifest';
import type { FeatureDefinition } from '../manifests/reader/schema';
import { type Contract, isEnabled } from './contracts/contract';
import { permittedSites, type Site } from './qal/scope/permitted-sites';
import { localDateOf } from './qal/time/local-time';

export interface Guide {
  readonly version: string;
  readonly apiUpdate: string;
  readonly timestamp: Date;
  readonly pluginVersion: string;
  readonly features: ReadonlyMap<string, Readonly<FeatureDefinition>>;
  readonly sites: readonly GuideSite[];
  readonly documentation: { readonly source: string; readonly sections: readonly GuideSection[] };
}

export interface GuideSite {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly isDefault: boolean;
  /** The first local day with data, or null while there is none. */
  readonly dataAvailableFrom: string | null;
  readonly timezone: string;
  readonly goals: readonly GuideGoal[];
}

export interface GuideGoal {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly condition: unknown;
}

export interface GuideSection {
  readonly category: 'instructions' | 'spec';
  readonly file: string;
  readonly title: string;
  readonly format: 'markdown' | 'yaml';
  readonly content: string;
}

export interface GuideContext {
  readonly contract: Contract;
  readonly manifest: Manifest;
  readonly sites: 'all' | readonly string[];
  readonly database: Knex;
  readonly now: Date;
  readonly pluginVersion: string;
  readonly docsUrl: string;
}

/** Builds the guide for a user under a contract. */
export async function buildGuide(context: GuideContext): Promise<Guide> {
  const { contract, manifest, database, now, pluginVersion, docsUrl } = context;
  const { features } = contract.rules;
  const isOn = (feature: string) => isEnabled(contract, feature);
  const permitted = await permittedSites(database, context.sites);
  const [sites, sections] = await Promise.all([describeSites(permitted, database), readSections(contract)]);
  return {
    version: contract.version,
    apiUpdate: apiUpdate(manifest, contract.rules, isOn),
    timestamp: now,
    pluginVersion,
    features,
    sites: isOn('materials_supports_all') ? [...sites, ...allSites(sites)] : sites,
    documentation: { source: docsUrl, sections },
  };
}

/** One index look-up per site. */
const FIRST_VIEW =
  '(select extract(epoch from min(at)) from analytics.page_view where page_view.site_id = site.site_id) as first_view';

async function describeSites(sites: readonly Site[], database: Knex): Promise<readonly GuideSite[]> {
  const ids = sites.map((site) => site.siteId);
  const [firstViews, goals] = await Promise.all([
    database
      .withSchema('analytics')
      .from('site')
      .select<{ site_id: number; first_view: number | null }[]>('site_id', database.raw(FIRST_VIEW))
      .whereIn('site_id', ids),
    database
      .withSchema('analytics')
      .from('goal')
      .select<{ site_id: number; id: number; name: string; type: string; condition: unknown }[]>('site_id', {
        id: 'goal_no',
        name: 'name',
        type: 'type',
        condition: 'condition',
      })
      .whereIn('site_id', ids)
      .orderBy('goal_no'),
  ]);
  return sites.map((site) => ({
    trackingId: site.trackingId,
    domain: site.domain,
    name: site.name,
    isDefault: site.isDefault,
    dataAvailableFrom: firstDay(
      firstViews.find((row) => row.site_id === site.siteId)?.first_view,
      site.timezone,
    ),
    timezone: site.timezone,
    goals: goals
      .filter((goal) => goal.site_id === site.siteId)
      .map(({ id, name, type, condition }) => ({ id, name, type, condition })),
  }));
}

/** The local date of a site's first view. */
const firstDay = (firstView: number | null | undefined, zone: string): string | null =>
  firstView === null || firstView === undefined ? null : localDateOf(firstView, zone);

/** The entry of `all`, last in the list; there is none for a user without sites. */
function allSites(sites: readonly GuideSite[]): readonly GuideSite[] {
  const first = sites[0];
  if (first === undefined) return [];
  const days = sites.flatMap((site) => site.dataAvailableFrom ?? []).sort();
  return [
    {
      trackingId: 'all',
      domain: '',
      name: 'All sites',
      isDefault: false,
      dataAvailableFrom: days[0] ?? null,
      timezone: first.timezone,
      goals: [],
    },
  ];
}

interface ShippedText {
  readonly path: string;
  readonly section: Omit<GuideSection, 'content'>;
}

const shippedTexts = (version: string): readonly ShippedText[] => [
  {
    path: join('guide', 'README.md'),
    section: {
      category: 'instructions',
      file: 'README.md',
      title: 'Instructions for clients',
      format: 'markdown',
    },
  },
  {
    path: MATERIALS_FILE,
    section: { category: 'spec', file: 'materials.yaml', title: 'Materials and columns', format: 'yaml' },
  },
  {
    path: join(CONTRACTS_FOLDER, `${version}.yaml`),
    section: { category: 'spec', file: 'qal-validation.yaml', title: 'Rules of a query', format: 'yaml' },
  },
];

function readSections({ version }: Contract): Promise<readonly GuideSection[]> {
  return Promise.all(
    shippedTexts(version).map(async ({ path, section }) => ({
      ...section,
      content: await readFile(join(MANIFEST_DIRECTORY, path), 'utf8'),
    })),
  );
}
