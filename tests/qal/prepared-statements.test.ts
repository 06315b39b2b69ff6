// Which statements the database keeps ready on its connections: those that come again and are planned alike for all values.
import { readDocument } from '../../extension/qal/parse/read-document';
import { namePreparedStatements } from '../../extension/qal/run/prepared-statements';

import { runQuery } from '../../extension/run-query';
import { useCaseDatabase } from './query-setup';

describe('names', () => {
  test('a statement has one from the second time on, always the same', () => {
    const { nameOf } = namePreparedStatements();
    const names = [nameOf('a'), nameOf('b'), nameOf('a'), nameOf('a'), nameOf('b')];
    expect(names.map((name) => name !== undefined)).toEqual([false, false, true, true, true]);
    expect(names[3]).toBe(names[2]);
    expect(names[4]).not.toBe(names[2]);
  });

  test('a name stands for its text in every process, whatever came before', () => {
    const named = (texts: readonly string[]) => {
      const { nameOf } = namePreparedStatements();
      for (const text of texts) nameOf(text);
      return new Map(texts.map((text) => [text, nameOf(text)]));
    };
    expect(named(['a', 'b']).get('b')).toBe(named(['b', 'c']).get('b'));
  });

  test('there are so many and no more', () => {
    const { nameOf } = namePreparedStatements();
    const texts = Array.from({ length: 200 }, (_, number) => `select ${number}`);
    for (const text of texts) nameOf(text);
    const names = texts.map(nameOf).filter((name) => name !== undefined);
    expect(names).toHaveLength(64);
    expect(texts.map(nameOf).filter((name) => name !== undefined)).toEqual(names);
  });

  test('what comes once is forgotten in time', () => {
    const { nameOf } = namePreparedStatements();
    nameOf('a');
    for (let number = 0; number < 1_000; number++) nameOf(`select ${number}`);
    expect(nameOf('a')).toBeUndefined();
  });
});

describe('on a connection', () => {
  const opened = useCaseDatabase();
  const { database } = opened;

  /** Asks one after the other, so that one connection is enough; tells the texts that it keeps for queries. */
  async function keptAfter(view: object, hours: readonly string[]): Promise<readonly string[]> {
    for (const hour of hours) {
      const body = JSON.stringify({
        tracking_id: 'shop',
        materials: [{ name: 'allpv' }],
        time: { start: `2026-05-01T${hour}:00:00`, end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
        make: { v: { from: ['allpv'], ...view } },
        result: { use: 'v' },
      });
      await runQuery(readDocument(body), opened.context);
    }
    const rows = await database.read.query<{ statement: string }>({
      text: "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'query-%'",
    });
    return rows.map((row) => row.statement);
  }

  const CALC = { keep: [], calc: { n: 'COUNT(allpv.pv_id)' } };

  test('a statement that reads rows of a range is planned for its own values each time', async () => {
    expect(await keptAfter({ keep: ['allpv.url'] }, ['00', '00', '00'])).toEqual([]);
    expect(await keptAfter(CALC, ['05', '06', '07'])).toEqual([]);
  });

  test('a statement that reads kept counts alone is kept', async () => {
    expect(await keptAfter(CALC, ['00', '00'])).toEqual([expect.stringContaining('sites_of_versions')]);
  });
});
