// The JSON Schema of a query, derived from the zod schema that the parser checks with. It cannot express rules between two
// places of a query.
import { z } from 'zod';
import { querySchema } from '../../language/parse/query-schema';
import type { Contract } from '../../language/types/contract';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What the keys of a query mean, for a reader who has only the schema. */
const MEANINGS: Readonly<Record<string, string>> = {
  tracking_id: 'A site of the guide; "all" means every site of the user.',
  materials: 'What the views read from.',
  name: 'A material that the site has.',
  time: 'The range of the query: it includes start, but not end.',
  start: 'Local time in tz, YYYY-MM-DDTHH:mm:ss.',
  end: 'Local time in tz, YYYY-MM-DDTHH:mm:ss, after start.',
  tz: 'Full IANA name of a time zone, such as Asia/Tokyo.',
  make: 'The views by name. A view may read from an earlier one.',
  from: 'One material of the query, or one earlier view.',
  keep: 'Columns as material.column: the output, or the groups of calc.',
  filter: 'Column without its material -> a value, a list of values, or operators that must all hold.',
  any: 'Filters of which at least one must hold; not inside another any.',
  column: 'Another column of from, without its material, to compare with.',
  join: 'One other material or earlier view beside from.',
  with: 'The joined material or view.',
  on: 'Pairs of columns of one name that must all be equal.',
  left: 'Column of the from side, prefixed with its material.',
  right: 'Column of the joined side, prefixed with the text of with.',
  'if not match': 'Rows without a match: keep-left (default) keeps them, drop leaves them out.',
  fill: 'Replaces null in joined columns of rows without a match.',
  calc: 'Name of an output column -> FUNCTION(material.column), or such calls and numbers with + - * / and brackets.',
  add: 'The names of calc once more; may be left out.',
  sort: 'The order of the rows of the view.',
  by: 'A column of the output.',
  order: 'Rows without a value come last in both orders.',
  top: 'The view keeps this many rows at most, after sorting.',
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: 'Further keys, for rows that are equal in those before.',
  per: 'Output columns: top holds for each of their values, and rows are ordered by them first.',
  result: 'Which view is the answer.',
  use: 'The name of a view.',
  limit: 'The greatest number of rows in the answer; ignored with count_only.',
  count_only: 'Only the number of rows of the view.',
  offset: 'How many rows to leave out first; ignored with count_only. meta.data_version belongs to the page.',
  data_version: 'That of an earlier page: the answer is refused if the data have changed since.',
};

/** The JSON Schema of a query under a contract; `zones` are those of this server. */
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

/** With count_only the limit and the offset are ignored, whatever they are. */
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
