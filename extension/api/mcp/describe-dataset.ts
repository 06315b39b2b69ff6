import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { countOf } from '../../../host-shim/extension-api';
import type { Column, Material } from '../../../manifests/reader/manifest';
import { COLUMN_TYPES } from '../../../manifests/reader/schema';
import { definedGoals } from '../../data/storage/goals/list-goals';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { queryError } from '../../language/errors/query-error';
import { nearMaterial } from '../../language/names/nearest';
import { availableMaterials, type Catalogue } from '../../language/resolve/resolve-materials';
import { isEnabled } from '../../language/types/contract';
import type { DefinedGoal, Scope } from '../../language/types/resolved-query';
import { loadScope } from '../../query/load-scope';
import type { QueryContext } from '../../query/query-context';
import { CELL, COUNT, DATE } from '../contracts/response-parts';
import { countRows, type SiteSpan, sampleValues, spansOf } from './dataset-facts';
import { dataResult, type McpCaller, READ_ONLY, runTool } from './tool';

const OUTPUT = {
  dataset: z.string(),
  row: z.string().describe('What one row represents.'),
  join: z.array(z.string()).describe('Columns that can be used in joins.'),
  sites: z.array(
    z.object({
      tracking_id: z.string(),
      rows: COUNT.nullable().describe('Approximate; null if rows are computed over the period of a query.'),
      first_day: DATE.nullable(),
      last_day: DATE.nullable(),
    }),
  ),
  sampled_from: z.string().describe('The site that the samples are from.'),
  columns: z.array(
    z.object({
      name: z.string(),
      type: z.enum(COLUMN_TYPES),
      nullable: z.boolean(),
      about: z.string(),
      words: z.record(z.string(), z.number()).optional().describe('What the numbers mean.'),
      samples: z.array(CELL).describe('Some distinct values; long strings are cut off with "...".'),
    }),
  ),
};

type Description = z.input<z.ZodObject<typeof OUTPUT>>;

/** Event names have up to 2,048 characters. An error repeats the name. */
const MAX_NAME_LENGTH = 2_100;

export function registerDescribeDataset(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Describe a dataset',
    description:
      'Lists the columns of one dataset (allpv, gsc, goal_1, events.NAME ...) with type, meaning and sample values, and the number of rows and the days that they cover for each of your sites.',
    inputSchema: {
      dataset: z.string().max(MAX_NAME_LENGTH).describe('The name of a dataset from the guide.'),
      tracking_id: z
        .string()
        .max(MAX_NAME_LENGTH)
        .optional()
        .describe('The site to take samples from; your first site by default.'),
    },
    outputSchema: OUTPUT,
    annotations: READ_ONLY,
  };
  server.registerTool('qa_describe_dataset', config, ({ dataset, tracking_id }, call) =>
    runTool(caller, call, async (_contract, context) => {
      const described = await describeDataset(dataset, tracking_id, context);
      return dataResult(descriptionText(described), described);
    }),
  );
}

async function describeDataset(
  dataset: string,
  trackingId: string | undefined,
  context: QueryContext,
): Promise<Description> {
  const permitted = await permittedSites(context.database, context.sites);
  const requested = trackingId ?? permitted[0]?.trackingId ?? '';
  const scope = await loadScope({ trackingId: requested, materials: [dataset] }, context);
  const goals = await definedGoals(context.database, scope.siteIds);
  const material = describedMaterial(dataset, { ...scope, goals }, context);
  // On other sites, goals and events with this name are unrelated.
  const sites =
    material.onePer === undefined ? permitted : permitted.filter((it) => it.trackingId === requested);
  const spans = await spansOf(material, sites, context);
  const sampled = spans.find(({ site }) => site.trackingId === requested) ?? spans[0];
  const rowsOf = async (span: SiteSpan) =>
    material.onePer === undefined ? span.rows : countRows(material, span, context);
  const samples = sampled === undefined ? new Map() : await samplesOf(material, sampled, context);
  return {
    dataset,
    row: material.row,
    join: [...material.join.keys()],
    sites: await Promise.all(
      spans.map(async (span) => ({
        tracking_id: span.site.trackingId,
        rows: await rowsOf(span),
        first_day: span.days?.first ?? null,
        last_day: span.days?.last ?? null,
      })),
    ),
    sampled_from: sampled?.site.trackingId ?? requested,
    columns: [...material.columns.values()].map(({ name, type, nullable, about, words }) => ({
      name,
      type,
      nullable,
      about,
      ...(words === undefined ? {} : { words: { ...words } }),
      samples: samples.get(name) ?? [],
    })),
  };
}

/** Samples the columns of a site, without those for goals that the site does not define. */
const samplesOf = async (material: Material, span: SiteSpan, context: QueryContext) =>
  sampleValues(withGoals(material, await definedGoals(context.database, [span.site.siteId])), span, context);

/** Returns the material with only those columns whose features are on and whose goals are defined. */
function describedMaterial(dataset: string, scope: Scope, context: Catalogue): Material {
  const available = availableMaterials(scope, context);
  const found = available.find(({ name }) => name === dataset);
  const names = available.map(({ name }) => name);
  if (found === undefined) {
    const ofOneSite = scope.all ? availableMaterials({ ...scope, all: false }, context) : [];
    const fault = ofOneSite.some(({ name }) => name === dataset) ? 'not-for-all' : 'unknown';
    throw queryError(`E_UNKNOWN_MATERIAL ${fault}`, 'dataset', {
      received: dataset,
      available: names,
      nearest: nearMaterial(dataset, names),
    });
  }
  const isOn = ({ feature }: Column) => feature === undefined || isEnabled(context.contract, feature);
  return withColumns(withGoals(found, scope.goals), isOn);
}

const withGoals = (material: Material, goals: readonly DefinedGoal[]): Material =>
  withColumns(
    material,
    ({ goal }) => goal === undefined || goals.some(({ number, isSame }) => number === goal && isSame),
  );

const withColumns = (material: Material, isKept: (column: Column) => boolean): Material => ({
  ...material,
  columns: new Map([...material.columns].filter(([, column]) => isKept(column))),
});

function descriptionText({ dataset, row, join, sites, columns, sampled_from }: Description): string {
  const amounts = sites.map(({ tracking_id, rows, first_day, last_day }) =>
    rows === null
      ? `- ${tracking_id}: computed over the period of a query`
      : `- ${tracking_id}: ${countOf(rows, 'row')}${first_day === null ? '' : `, ${first_day} to ${last_day}`}`,
  );
  const lines = columns.map(({ name, type, nullable, about, words, samples }) => {
    const meaning = words === undefined ? about : `${about} ${JSON.stringify(words)}`;
    return `- ${name} (${type}${nullable ? ' or null' : ''}): ${meaning} ${JSON.stringify(samples)}`;
  });
  return [
    `${dataset}: one row is ${row}. Join by: ${join.length === 0 ? 'nothing' : join.join(', ')}.`,
    '',
    'Rows by site:',
    ...amounts,
    '',
    `Columns, with sample values from ${sampled_from}:`,
    ...lines,
  ].join('\n');
}
