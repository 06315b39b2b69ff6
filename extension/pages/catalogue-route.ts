// GET catalogue: everything that a query about a site can contain under a contract, for the editor's completion.
import { z } from 'zod';
import type { HostRequest, HostUser, ReadPool } from '../../host-shim/extension-api';
import { goalName } from '../../manifests/reader/catalog';
import type { Column, Material } from '../../manifests/reader/manifest';
import { type Analytics, hintFailures, manifestFor } from '../api/analytics';
import { readAvailability } from '../api/guide/availability';
import { answer } from '../api/routes/answer';
import { versionInput } from '../api/schemas/api-routes';
import { type JsonSchema, queryJsonSchema } from '../api/schemas/query-json-schema';
import { analytics } from '../data/storage/build-query';
import { definedGoals } from '../data/storage/goals/list-goals';
import { mergeObserved, observedEvents } from '../data/storage/observed-events';
import { permittedSites, type Site } from '../data/storage/sites/list-sites';
import { availableMaterials } from '../language/resolve/resolve-materials';
import { localDateOf } from '../language/time/local-time';
import { type Contract, isEnabled, wordsOf } from '../language/types/contract';
import { unknownSite } from '../query/load-scope';
import { exampleQueries } from './example-queries';
import type { PageRoute } from './page-route';
import type { Catalogue, CatalogueColumn, CatalogueMaterial } from './shared-types/catalogue';

export function catalogueRoute(analytics: Analytics): PageRoute {
  // Building a schema takes longer than everything else here. Switching a feature on or off replaces the contract.
  const schemas = new WeakMap<Contract, JsonSchema>();
  const schemaOf = async (contract: Contract): Promise<JsonSchema> => {
    const schema = schemas.get(contract) ?? queryJsonSchema(contract, await analytics.zones());
    schemas.set(contract, schema);
    return schema;
  };
  return {
    path: '/catalogue',
    methods: ['GET'],
    summary: 'Everything that a query about a site can contain.',
    input: z.object({
      tracking_id: z.string().describe("One of the user's sites, or all."),
      ...versionInput,
    }),
    capability: 'read',
    handle: (request, user) =>
      answer(
        analytics,
        request,
        async (contract): Promise<Catalogue> => ({
          ...(await catalogueOf(analytics, request, user, contract)),
          schema: await schemaOf(contract),
        }),
      ),
  };
}

const ALL = 'all';
const ALL_FEATURE = 'materials_supports_all';

async function catalogueOf(
  analytics: Analytics,
  { query }: HostRequest,
  user: HostUser,
  contract: Contract,
): Promise<Omit<Catalogue, 'schema'>> {
  const { host } = analytics;
  const manifest = manifestFor(analytics, user);
  const database = host.database.read;
  const trackingId = query.tracking_id ?? '';
  const sites = await permittedSites(database, user.sites);
  const allSites = isEnabled(contract, ALL_FEATURE) && sites.length > 0;
  const all = trackingId === ALL && allSites;
  const chosen = all ? sites : sites.filter((site) => site.trackingId === trackingId);
  const [first] = chosen;
  if (first === undefined) throw unknownSite(trackingId, sites, hintFailures(analytics));
  const ids = chosen.map(({ siteId }) => siteId);
  const [goals, events, names, days] = await Promise.all([
    definedGoals(database, ids),
    observedEvents(database, ids, manifest),
    all ? [] : goalNames(host.database.read, ids),
    daysOfViews(database, chosen, manifest.materials.get('allpv')),
  ]);
  const scope = { all, goals, events: mergeObserved(events.values()) };
  const materials = availableMaterials(scope, { manifest, contract });
  const known = {
    tracking_id: trackingId,
    timezone: first.timezone,
    first_day: days.first,
    last_day: days.last,
    all_sites: allSites,
    materials: materials.map((material) => materialEntry(material, contract)),
    goals: names
      .map(({ id, name }) => ({ id, name, material: goalName(id) }))
      .filter(({ material }) => materials.some((it) => it.name === material)),
    functions: wordList(wordsOf(contract, 'calc_functions')),
    operators: wordList(wordsOf(contract, 'filter_operators')),
  };
  const today = localDateOf(host.clock().getTime() / 1000, first.timezone);
  return { ...known, examples: exampleQueries(known, (feature) => isEnabled(contract, feature), today) };
}

function goalNames(
  read: ReadPool,
  siteIds: readonly number[],
): Promise<readonly { id: number; name: string }[]> {
  return read.select(
    analytics('goal')
      .select<{ id: number; name: string }[]>({ id: 'goal_no', name: 'name' })
      .whereIn('site_id', siteIds)
      .orderBy('goal_no'),
  );
}

/** The first and last local day on which any of the sites has a page view. */
async function daysOfViews(
  read: ReadPool,
  sites: readonly Site[],
  views: Material | undefined,
): Promise<{ first: string | null; last: string | null }> {
  if (views === undefined) return { first: null, last: null };
  const available = await readAvailability(read, sites, [views]);
  const found = [...available.values()].flatMap((materials) => materials.get(views.name) ?? []);
  return {
    first: found.map(({ firstDay }) => firstDay).sort()[0] ?? null,
    last:
      found
        .map(({ lastDay }) => lastDay)
        .sort()
        .at(-1) ?? null,
  };
}

const wordList = (
  words: Readonly<Record<string, { readonly about: string; readonly types: readonly string[] }>>,
) => Object.entries(words).map(([name, { about, types }]) => ({ name, about, types }));

function materialEntry({ name, row, columns, join }: Material, contract: Contract): CatalogueMaterial {
  const isOn = ({ feature }: Column) => feature === undefined || isEnabled(contract, feature);
  return {
    name,
    about: row,
    columns: [...columns.values()].filter(isOn).map((column) => columnEntry(column, columns)),
    join: [...join.keys()],
  };
}

function columnEntry(
  { name, type, about, values, word_of }: Column,
  columns: ReadonlyMap<string, Column>,
): CatalogueColumn {
  const words = word_of === undefined ? undefined : columns.get(word_of)?.words;
  const known = values ?? (words === undefined ? undefined : Object.keys(words));
  return { name, type, about, ...(known === undefined ? {} : { values: known }) };
}
