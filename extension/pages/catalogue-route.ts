// GET catalogue: everything that a query about a site can contain under a contract, for the editor's completion.
import { z } from 'zod';
import type { HostRequest, HostUser } from '../../host-shim/extension-api';
import { goalName } from '../../manifests/reader/catalog';
import type { Column, Material } from '../../manifests/reader/manifest';
import { type Analytics, hintFailures, manifestFor } from '../api/analytics';
import { answer } from '../api/routes/answer';
import { versionInput } from '../api/schemas/api-routes';
import { type JsonSchema, queryJsonSchema } from '../api/schemas/query-json-schema';
import { definedGoals, listGoals } from '../data/storage/goals/list-goals';
import { mergeObserved, observedEvents } from '../data/storage/observed-events';
import { permittedSites, type Site, siteOverview } from '../data/storage/sites/list-sites';
import { availableMaterials } from '../language/resolve/resolve-materials';
import { localDateOf } from '../language/time/local-time';
import { type Contract, isEnabled, wordsOf } from '../language/types/contract';
import { unknownSite } from '../query/load-scope';
import { daysWithViews } from './dashboard/dashboard-range';
import { exampleQueries } from './example-queries';
import type { PageRoute } from './page-route';
import type { Catalogue, CatalogueColumn, CatalogueMaterial } from './shared-types/catalogue';

export function catalogueRoute(analytics: Analytics): PageRoute {
  // Building a schema takes longer than everything else here. Switching a feature on or off replaces the contract, so a cached
  // schema is never outdated.
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
      tracking_id: z.string().describe('Tracking id of one of the user\'s sites, or "all".'),
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
    all ? [] : listGoals(database, first.siteId),
    daysOfViews(analytics, chosen),
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

/** The first and last local day on which any of the sites has a page view. */
async function daysOfViews({ host, workers }: Analytics, sites: readonly Site[]) {
  const trackingIds = sites.map(({ trackingId }) => trackingId);
  const overviews = await siteOverview(host.database.read, trackingIds, workers);
  const days = overviews.flatMap((site) => daysWithViews(site, site.timezone) ?? []);
  const firstDays = days.map(({ first }) => first).sort();
  const lastDays = days.map(({ last }) => last).sort();
  return { first: firstDays[0] ?? null, last: lastDays.at(-1) ?? null };
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
