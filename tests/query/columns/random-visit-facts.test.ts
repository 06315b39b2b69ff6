// Facts about visits on sites whose rows change at random: no field that varies within a visit is ever found to be constant, and a
// new copy finds every field that does not vary.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { MAX_PAUSE_SECONDS } from '../../../extension/language/types/unique-counts';
import { visitFacts } from '../../../extension/query/columns/visit-facts';
import { type Dice, newDice } from '../../language/interpreter/random/dice';
import { manifest } from '../../language/query-setup';
import { countingOnlyBy, openTestColumns } from '../../support/columns';
import { tries } from '../../support/long-run';
import { useTestDatabase } from '../../support/use-database';
import { repeatRows } from './repeat-rows';

const SEED = 20_261_129;
const SITES = tries(6, 60);
const ROUNDS = 3;
const VISITS = 25;
const VIEWS = 3;
const HOUR_MS = 3_600_000;
/** With a visit every four days, a site is checked in two pieces. */
const VISIT_MS = 4 * 24 * HOUR_MS;
const FIRST = Date.parse('2025-01-01T20:00:00Z');
const IN_PIECES = { isCounted: true, smallSiteRows: 10, manifest: countingOnlyBy() };

const database = useTestDatabase();

const view = (index: number) => {
  const visit = Math.floor(index / VIEWS);
  const place = index % VIEWS;
  return {
    pv_id: index + 1,
    session_id: visit + 1,
    pv: place + 1,
    is_last: place === VIEWS - 1 ? 1 : 0,
    is_newuser: 0,
    access_time: new Date(FIRST + visit * VISIT_MS + place * 3 * HOUR_MS).toISOString(),
    reader_id: (visit % 7) + 1,
    url: '/',
    title: 'T',
    device_type: 'PC',
    country_code: visit % 5 === 0 ? undefined : 'JP',
  };
};

/** Changes a view, or all views of a visit. Only a few changes make a visit irregular. */
function randomChange(dice: Dice): string {
  const pv = 1 + dice.below(VISITS * VIEWS);
  const rows = dice.pick([`pv_id = ${pv}`, `session_id = ${1 + dice.below(VISITS)}`]);
  const hours = dice.pick([dice.below(4) - 1, 24 * dice.below(9), 12 + dice.below(12)]);
  const changes = dice.pick([
    'device_id = 3 - device_id',
    'country_id = NULL',
    'reader_id = reader_id + 1',
    'browser_id = NULL',
    `at = at + interval '${hours} hours'`,
    `at = at + interval '${hours} hours'`,
    `session_id = ${1 + dice.below(VISITS)}`,
    `pv = ${1 + dice.below(VIEWS + 1)}`,
    null,
  ]);
  return changes === null
    ? `DELETE FROM analytics.page_view WHERE ${rows}`
    : `UPDATE analytics.page_view SET ${changes} WHERE ${rows}`;
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly pv: number;
  readonly at: number;
}

/** What is true of the rows in PostgreSQL. */
async function factsOf(siteId: number): Promise<readonly string[]> {
  const { rows }: { rows: Row[] } = await database.write.raw(
    'SELECT *, extract(epoch FROM at)::float8 AS at FROM analytics.page_view WHERE site_id = ?',
    [siteId],
  );
  const visits = [...Map.groupBy(rows, ({ session_id }) => session_id).values()];
  const isRegular = (visit: readonly Row[]): boolean => {
    const [first, ...others] = visit.filter(({ pv }) => pv === 1);
    const times = visit.map(({ at }) => at).toSorted((one, other) => one - other);
    return (
      first?.at === times[0] &&
      others.length === 0 &&
      visit.every(({ pv }) => pv > 0) &&
      times.every((at, index) => at - (times[index - 1] ?? at) < MAX_PAUSE_SECONDS)
    );
  };
  if (!visits.every(isRegular)) return [];
  const fields = visitFacts(manifest).flatMap((facts) => facts.fields);
  return ['site_id', 'session_id', ...fields].filter((field) =>
    visits.every((visit) => new Set(visit.map((row) => row[field])).size === 1),
  );
}

test(`the facts for seed ${SEED} are true after every change`, async () => {
  const dice = newDice(SEED);
  const names = Array.from({ length: SITES }, (_, index) => `site-${index}`);
  await applySites(database.write, {
    sites: names.map((name) => ({ tracking_id: name, domain: `${name}.example`, name, timezone: 'UTC' })),
  });
  const rows = Array.from({ length: VISITS * VIEWS }, (_, index) => view(index));
  await importRows(database.write, manifest, { material: 'allpv', site: 'site-0', rows });
  await repeatRows(database.write);
  const sites = await database.write.from('analytics.site').pluck<number[]>('site_id');
  const columns = await openTestColumns(database, IN_PIECES);
  const found = new Map<string, number>();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const siteId of sites) await database.write.raw(`${randomChange(dice)} AND site_id = ${siteId}`);
      await columns.refresh();
      for (const siteId of sites) {
        const facts = await factsOf(siteId);
        const known = [...columns.visitFields('allpv', [siteId], Number.POSITIVE_INFINITY)];
        expect({ siteId, round, wrong: known.filter((field) => !facts.includes(field)) }).toEqual({
          siteId,
          round,
          wrong: [],
        });
      }
    }
  } finally {
    await columns.stop();
  }
  const again = await openTestColumns(database, IN_PIECES);
  try {
    for (const siteId of sites) {
      const known = [...again.visitFields('allpv', [siteId], Number.POSITIVE_INFINITY)];
      const facts = await factsOf(siteId);
      expect({ siteId, known: known.toSorted() }).toEqual({ siteId, known: facts.toSorted() });
      const kind = facts.length === 0 ? 'irregular' : facts.includes('device_id') ? 'regular' : 'varying';
      found.set(kind, (found.get(kind) ?? 0) + 1);
    }
  } finally {
    await again.stop();
  }
  expect([...found.keys()].toSorted()).toEqual(['irregular', 'regular', 'varying']);
});
