// All lookups for hints and repairs fail. Valid queries must still work, and invalid ones must still return their errors.
import { join } from 'node:path';
import { QueryError } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { notesOn } from '../../extension/query/notes-on';
import { findFaults, understandQuery } from '../../extension/query/understand-query';
import { isRefusedByData, readCases } from './case-file';
import { bodyOf, CATALOGUE, scopeOf } from './understood';

/** Returns a module whose functions throw, but whose other exports are the real ones. */
function mockFailing(path: string): object {
  const fail = () => {
    throw new Error('no hint');
  };
  const entries = Object.entries(jest.requireActual<object>(path));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'function' ? fail : value]),
  );
}

jest.mock('../../extension/language/names/nearest', () =>
  mockFailing('../../extension/language/names/nearest'),
);
jest.mock('../../extension/language/names/foreign-columns', () =>
  mockFailing('../../extension/language/names/foreign-columns'),
);
jest.mock('../../extension/language/names/foreign-functions', () =>
  mockFailing('../../extension/language/names/foreign-functions'),
);
jest.mock('../../extension/language/names/foreign-keys', () =>
  mockFailing('../../extension/language/names/foreign-keys'),
);
jest.mock('../../extension/language/names/foreign-operators', () =>
  mockFailing('../../extension/language/names/foreign-operators'),
);
jest.mock('../../extension/language/names/metrics', () =>
  mockFailing('../../extension/language/names/metrics'),
);
jest.mock('../../extension/language/names/other-tools', () =>
  mockFailing('../../extension/language/names/other-tools'),
);
jest.mock('../../extension/language/names/relative-days', () =>
  mockFailing('../../extension/language/names/relative-days'),
);
jest.mock('../../extension/language/resolve/other-grain', () =>
  mockFailing('../../extension/language/resolve/other-grain'),
);

const cases = readCases(join(__dirname, 'cases')).filter((it) => !isRefusedByData(it));
const invalid = cases.filter(({ error }) => error !== undefined);
// The names of events would have to be read from the data, and the scope is an administrator's.
const valid = cases.filter(
  ({ as, error, topic }) => as === 'administrator' && error === undefined && topic !== 'materials/events',
);
const named = (some: typeof cases) => some.map((it) => [`${it.topic}: ${it.title}`, it.body] as const);

const reports = new Set<unknown>();
const context = { ...CATALOGUE, onHintFailure: (error: unknown) => void reports.add(error) };

test.each(named(invalid))('%s: is rejected', async (_name, body) => {
  await expect(understandQuery(readDocument(body), context, scopeOf)).rejects.toBeInstanceOf(QueryError);
  expect(await findFaults(readDocument(body), context, scopeOf)).not.toEqual([]);
});

test.each(named(valid))('%s: is valid', async (_name, body) => {
  await expect(understandQuery(readDocument(body), context, scopeOf)).resolves.toBeDefined();
});

test('a valid query has no notes', async () => {
  const filter = { utm_source: ['a', 'b'] };
  const { requested, resolved } = await understandQuery(readDocument(bodyOf({ filter })), context, scopeOf);
  // Notes do not read data if there are several sites.
  const unread = { ...context, database: Object(), sites: 'all', signal: AbortSignal.abort() } as const;
  const ofAll = { ...resolved, scope: { ...resolved.scope, states: [] } };
  reports.clear();
  expect(await notesOn(requested, ofAll, unread)).toEqual([]);
  expect([...reports]).toEqual([new Error('no hint')]);
});

test('the failures were reported', () => {
  expect(new Set([...reports].map(String))).toEqual(new Set(['Error: no hint']));
});
