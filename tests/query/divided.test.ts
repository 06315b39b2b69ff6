// Queries and commands for rows that are distributed across a Citus cluster, as far as they can be tested on one machine.
// `make test-citus` tests the rest.

import { inTransaction } from '../../extension/data/storage/in-transaction';
import { ANY_SITE, showingSite } from '../../extension/data/storage/planner';
import { readDocument } from '../../extension/language/parse/read-document';
import { planTraced } from '../../extension/language/plan/plan-query';
import { finish } from '../../extension/language/types/steps';
import { readRows } from '../../extension/query/run/read-rows';
import { prepareQuery } from '../../extension/query/run-query';
import type { ReadPool } from '../../host-shim/extension-api';
import { useCaseDatabase } from '../language/query-setup';
import { runCommand } from '../support/run-command';
import { runWhole } from '../support/run-whole';

const opened = useCaseDatabase();
const { database } = opened;

const byDay = (trackingId: string) =>
  readDocument(
    JSON.stringify({
      tracking_id: trackingId,
      materials: [{ name: 'allpv' }],
      time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Europe/Berlin' },
      make: {
        days: {
          from: ['allpv'],
          filter: { device_type: ['PC', 'SP', 'tablet'] },
          keep: ['allpv.access_date'],
          calc: { n: 'COUNT(allpv.pv_id)' },
        },
      },
      result: { use: 'days' },
    }),
  );

async function passesLeftOut(trackingId: string): Promise<readonly string[]> {
  const context = { ...opened.context, isDivided: true, columns: undefined };
  const { resolved } = await prepareQuery(byDay(trackingId), context);
  const { passes } = finish(planTraced(resolved, { ...context, engine: 'rows' }));
  return passes.filter(({ did }) => did === 'left out').map(({ name }) => name);
}

// conformance: beyond.rows-sites-can
test('the plan for several sites avoids SQL that Citus rejects, and the answer is the same', async () => {
  expect(await passesLeftOut('all')).toEqual(['text-filters-to-ids', 'periods-as-ranges']);
  const onOne = await runWhole(byDay('all'), { ...opened.context, columns: undefined });
  expect(onOne.rows.length).toBeGreaterThan(1);
  expect(await runWhole(byDay('all'), { ...opened.context, columns: undefined, isDivided: true })).toEqual(
    onOne,
  );
});

test('the rows of a site are on the same machine, so every pass is used', async () => {
  const { rows } = await database.write.raw(
    'SELECT tracking_id AS name FROM analytics.site ORDER BY 1 LIMIT 1',
  );
  expect(await passesLeftOut(rows[0].name)).toEqual([]);
});

test('lookups include the site for Citus, but not for plain PostgreSQL', async () => {
  await inTransaction(database.write, async (client) => {
    const sent = jest.spyOn(client, 'query');
    const shown = showingSite(client);
    const text = `SELECT ${ANY_SITE} AS site`;
    expect((await shown.query(text, [7])).rows).toEqual([{ site: 7 }]);
    expect((await shown.query({ text, values: [8], rowMode: 'array' })).rows).toEqual([[8]]);
    expect(sent.mock.calls.map(([statement]) => statement)).toEqual([
      'SELECT $1::smallint AS site',
      { text: 'SELECT $1::smallint AS site', values: [8], rowMode: 'array' },
    ]);
    sent.mockRestore();
  });
});

describe('a statement whose shard has moved', () => {
  const context = (failures: number) => {
    let left = failures;
    const withConnection: ReadPool['withConnection'] = async (patience, work) => {
      left -= 1;
      if (left >= 0) throw new Error('could not find valid entry for shard 102040');
      return database.read.withConnection(patience, work);
    };
    const { signal } = new AbortController();
    return { database: { ...database.read, withConnection }, timeoutSeconds: 30, signal };
  };
  const read = (failures: number) =>
    readRows({ text: 'SELECT 1', bindings: [] }, 'view', context(failures), async (batches) => {
      const rows: unknown[] = [];
      for await (const batch of batches) rows.push(...batch);
      return rows;
    });

  test('is retried once', async () => {
    expect(await read(0)).toEqual([[1]]);
    expect(await read(1)).toEqual([[1]]);
    await expect(read(2)).rejects.toThrow('could not find valid entry');
  });
});

describe('qal database distribute without Citus', () => {
  const qal = (args: readonly string[]) => runCommand({ database }, args);
  const countTriggers = () => database.write.raw('SELECT count(*)::int AS triggers FROM pg_trigger');

  // conformance: beyond.rows-sites-can
  test('changes nothing, and reports what is missing', async () => {
    const before = (await countTriggers()).rows;
    const { code, out, err } = await qal(['database', 'distribute']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^Nothing was distributed\. Citus is not installed in this database\. On every machine: install/,
    );
    expect((await countTriggers()).rows).toEqual(before);
  });

  // conformance: beyond.rows-sites-can
  test('--check shows the current and the planned placement of each table', async () => {
    const { code, out, err } = await qal(['database', 'distribute', '--check']);
    expect(code).toBe(1);
    expect(out).toMatch(/^TABLE +CURRENT +PLANNED$/m);
    expect(out).toMatch(/^browser +on the coordinator +on every machine$/m);
    expect(out).toMatch(/^page_view +on the coordinator +distributed by site$/m);
    expect(out).toMatch(/^site_version +on the coordinator +distributed by site$/m);
    expect(out).toMatch(/^import_run +on the coordinator +on the coordinator$/m);
    expect(out).toMatch(/^erasure +on the coordinator +on the coordinator$/m);
    expect(out).toMatch(/^erased_digest +on the coordinator +on the coordinator$/m);
    expect(err).toContain('Citus is not installed in this database.');
  });
});
