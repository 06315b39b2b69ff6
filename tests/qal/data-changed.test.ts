// A query that was planned from kept counts sees all of a change of the data or nothing of it.
import { readRows } from '../../extension/qal/run/read-rows';
import { DataChanged, whileCurrent } from '../../extension/qal/run/while-current';
import type { QueryContext } from '../../extension/qal/types/query-context';
import type { SiteState } from '../../extension/qal/types/resolved-query';
import { applySites } from '../../extension/storage/sites/apply-sites';
import { stateOfSite } from '../../extension/storage/sites/site-states';
import { useTestDatabase } from '../support/use-database';
import { createContext } from './query-setup';

const SITE = { tracking_id: 'a', domain: 'a.example', name: 'A', timezone: 'UTC' };

const database = useTestDatabase();
let context: QueryContext;
beforeAll(async () => {
  await applySites(database.write, { sites: [SITE] });
  context = await createContext(database);
});

const changeData = () => database.write('analytics.site').increment('data_version', 1);

/** A statement that relies on these states. */
const relyOn = (states: readonly SiteState[], context: QueryContext) =>
  readRows(
    {
      text: 'select (analytics.sites_of_versions($1::smallint[], $2::bigint[]))[1]::int',
      bindings: [states.map(({ siteId }) => siteId), states.map(({ version }) => version)],
    },
    'v',
    context,
  );

test('a statement for the data as they are gives its rows', async () => {
  const states = await stateOfSite('a', context);
  expect(await relyOn(states, context)).toEqual([[states[0]?.siteId]]);
});

test('a statement for data as they were gives nothing', async () => {
  const states = await stateOfSite('a', context);
  await changeData();
  await expect(relyOn(states, context)).rejects.toBeInstanceOf(DataChanged);
});

/** Data that change this often between the reading of their state and the statement; tells how each try was made. */
async function tries(changes: number): Promise<readonly boolean[]> {
  const made: boolean[] = [];
  await whileCurrent(context, async (context) => {
    made.push(context.rollups);
    const states = await stateOfSite('a', context);
    if (made.length <= changes) await changeData();
    return context.rollups ? relyOn(states, context) : [];
  });
  return made;
}

test.each([
  [0, [true]],
  [1, [true, true]],
  [3, [true, true, true, true]],
  [4, [true, true, true, true, false]],
  [9, [true, true, true, true, false]],
])('after %d changes it is planned again, at last without counts', async (changes, expected) => {
  expect(await tries(changes)).toEqual(expected);
});

test('any other error ends it at once', async () => {
  let made = 0;
  const work = () => {
    made += 1;
    return Promise.reject(new Error('another'));
  };
  await expect(whileCurrent(context, work)).rejects.toThrow('another');
  expect(made).toBe(1);
});
