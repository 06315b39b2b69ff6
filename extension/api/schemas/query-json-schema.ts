// The JSON Schema of a query, derived from the parser's zod schema. It cannot express rules that span several parts of the query.
import { z } from 'zod';
import { querySchema } from '../../language/parse/query-schema';
import type { Contract } from '../../language/types/contract';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Descriptions of the keys, for readers who only see the schema. */
const MEANINGS: Readonly<Record<string, string>> = {
  tracking_id: 'A site from the guide; "all" means all sites that the user may see.',
  materials: 'The materials that views read from.',
  name: 'A material that the site has.',
  time: 'The time range of the query: start is included, end is not.',
  start: 'Local time in tz, YYYY-MM-DDTHH:mm:ss.',
  end: 'Local time in tz, YYYY-MM-DDTHH:mm:ss, after start.',
  tz: 'Full IANA name of a time zone, such as Asia/Tokyo.',
  make: 'The views, by name. A view may read from an earlier one.',
  from: 'A material listed in the query, or an earlier view.',
  keep: 'Columns to output, as material.column. With calc, rows are grouped by them.',
  filter:
    'Maps each column, named without its material, to a value, a list of values, or operators that must all be satisfied.',
  any: 'Filters, at least one of which must be satisfied.',
  none: 'Filters, none of which may be satisfied.',
  column: 'Another column of "from" to compare with, without its material.',
  join: 'One other material or earlier view to join with "from".',
  with: 'The joined material or view.',
  on: 'Pairs of columns with the same name that must all be equal.',
  left: 'Column of the "from" side, prefixed with its material.',
  right: 'Column of the joined side, prefixed with the value of "with".',
  'if not match':
    'Rows without a match: keep-left (default) keeps those of "from", keep-both those of both sides, drop none.',
  nulls: 'match: in a join of two views, null matches null.',
  fill: 'The value that replaces null in the columns of a side without a match.',
  calc: 'Maps each output column to FUNCTION(material.column), or to an expression of such calls and numbers combined with + - * / and parentheses.',
  of: 'An expression over the rows that satisfy the filter.',
  add: 'The keys of calc, repeated; optional.',
  sort: 'The order of the rows of the view.',
  by: 'An output column.',
  order: 'Rows without a value come last in either order.',
  top: 'The maximum number of rows that the view keeps after sorting.',
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: 'Further sort keys, for rows that have the same values in the earlier keys.',
  per: 'Output columns: top applies to each combination of their values, and rows are sorted by them first.',
  fill_periods:
    'A kept day, week, month, hour or weekday column. The output has every value in the time range, with counts of 0 where there are no rows.',
  result: 'Which view to return, and how.',
  use: 'The name of a view.',
  limit: 'The maximum number of rows in the answer; ignored with count_only.',
  count_only: 'Whether to return only the number of rows in the view.',
  offset:
    'How many rows to skip; ignored with count_only. meta.data_version identifies the data of the page.',
  data_version: 'meta.data_version of an earlier page; the query is rejected if the data has changed since.',
};

export function queryJsonSchema(contract: Contract, zones?: ReadonlySet<string>): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(querySchema(contract, zones), {
    io: 'input',
    override: ({ jsonSchema }) => {
      tightenResult(jsonSchema);
      describeKeys(jsonSchema, contract);
    },
  });
  return {
    ...($schema === undefined ? {} : { $schema }),
    $id: `urn:qal:query:${contract.version}`,
    title: `QAL query, contract ${contract.version}`,
    ...schema,
  };
}

/** With count_only, limit and offset may have any value because they are ignored. */
function tightenResult(schema: JsonSchema): void {
  const { properties } = schema;
  if (properties?.count_only === undefined) return;
  const ignored = Object.entries(properties).filter(([key]) => key === 'limit' || key === 'offset');
  for (const [key] of ignored) properties[key] = {};
  schema.if = { properties: { count_only: { const: true } }, required: ['count_only'] };
  schema.else = { properties: Object.fromEntries(ignored) };
}

function describeKeys({ properties = {} }: JsonSchema, contract: Contract): void {
  const operators = contract.rules.request.filter_operators;
  for (const [key, schema] of Object.entries(properties)) {
    const description = MEANINGS[key] ?? operators[key]?.about;
    if (description !== undefined && typeof schema === 'object')
      properties[key] = { ...schema, description: schema.description ?? description };
  }
}
