// The errors in the case files that do not depend on the database, with their code, position, hint and corrected query.
import { join } from 'node:path';
import { isRefusedByData, readCases } from './case-file';
import { bodyOf, faultOf, understood } from './understood';

const refused = readCases(join(__dirname, 'cases')).filter(
  (it) => it.error !== undefined && !isRefusedByData(it),
);

/** The parts of a query, by key. `view` and `filter` belong to the view v. */
function partsOf(query: unknown, names: readonly string[]): Record<string, unknown> {
  const { make, ...others } = Object(query);
  const parts = { ...others, make, view: make.v, filter: make.v?.filter };
  return Object.fromEntries(names.map((name) => [name, parts[name]]));
}

test.each(refused.map((it) => [`${it.topic}: ${it.title}`, it] as const))('%s', async (_name, it) => {
  const { code, at, hint, details, repaired } = it.error ?? { code: '' };
  const error = await faultOf(it.body);
  expect({ code: error.code, at: error.at }).toEqual({ code, at });
  if (hint !== undefined) expect(error.hint ?? null).toBe(hint);
  const { repaired: query, ...others } = error.details ?? {};
  if (details !== undefined) expect(others).toEqual(details);
  expect(query === undefined ? undefined : partsOf(query, Object.keys(repaired ?? {}))).toEqual(repaired);
  if (query !== undefined) await understood(JSON.stringify(query));
});

test.each([{ browse_sec: 'exit_pos' }, { browse_sec: { between: ['exit_pos', 9] } }])(
  'the hint for %j does not suggest a comparison with a column, because only operators such as lt support it',
  async (filter) => {
    const { code, hint } = await faultOf(bodyOf({ filter }));
    expect({ code, hint }).toEqual({ code: 'E_FILTER_INVALID', hint: undefined });
  },
);
