// qal explain on a real database: how it shows the planner's passes and skips some of them.
import { PASSES } from '../../extension/language/plan/plan-query';
import { useCaseDatabase } from '../language/query-setup';
import { runCommand } from '../support/run-command';

const clock = () => new Date('2026-05-01T10:00:00Z');
const NAMES = PASSES.map(({ name }) => name);
/** Commands answer queries from rows. */
const ROW_PASSES = PASSES.filter(({ only = 'rows' }) => only === 'rows').map(({ name }) => name);

const { database } = useCaseDatabase();

const queryOf = (view: object) =>
  JSON.stringify({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
    make: { v: view },
    result: { use: 'v' },
  });
const PAGES = queryOf({ from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } });
const ROWS = queryOf({ from: ['allpv'], keep: ['allpv.url'] });

const explain = (body: string, ...options: readonly string[]) =>
  runCommand({ database, clock }, ['explain', '-', ...options], body);

/** The lines between the headings of the passes and the plan. */
const passes = (out: string): string => out.slice(out.indexOf('\npasses\n') + 8, out.indexOf('\nplan\n'));

test('shows every pass in order, between the resolved query and the plan', async () => {
  const { code, out, err } = await explain(PAGES);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const stages = ['requested', 'resolved', 'passes', 'plan', 'sql', 'bindings'];
  expect(out.split('\n').filter((line) => stages.includes(line))).toEqual(stages);
  const shown = [...passes(out).matchAll(/^ {2}(\S+) +(?:fired|nothing|left out)$/gm)].map(
    ([, name]) => name,
  );
  expect(shown).toEqual(ROW_PASSES);
});

test('shows which passes fired, and why others did not', async () => {
  const shown = passes((await explain(PAGES)).out);
  expect(shown).toMatch(/^ {2}group-by-id +fired$/m);
  expect(shown).toMatch(/^ {2}drop-unread-joins +nothing\n {4}It changes nothing here\.$/m);
});

test('--without skips passes, which changes the SQL', async () => {
  const [all, less] = [await explain(ROWS), await explain(ROWS, '--without', 'limit-before-lookups')];
  expect(passes(less.out)).toMatch(/^ {2}limit-before-lookups +left out$/m);
  const sql = (out: string): string => out.slice(out.indexOf('\nsql\n'));
  expect(sql(less.out)).not.toBe(sql(all.out));
  const both = passes((await explain(PAGES, '--without', 'group-by-id,limit-before-lookups')).out);
  expect(both.match(/left out/g)).toHaveLength(2);
});

test('the error for an unknown pass suggests the most similar one and lists all passes', async () => {
  expect(await explain(PAGES, '--without', 'group-by-ids')).toEqual({
    code: 2,
    out: '',
    err: `There is no pass "group-by-ids". Did you mean group-by-id? The passes are ${NAMES.join(', ')}.\n`,
  });
});

test('a hint about a relative time contains the dates', async () => {
  const { code, err } = await explain(PAGES.replace('2026-05-01T00:00:00', 'yesterday'));
  expect([code, err]).toEqual([1, expect.stringContaining('2026-04-30T00:00:00')]);
});
