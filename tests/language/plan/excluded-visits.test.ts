// Plans that exclude visits.
import { grouped, planned, type Question, SESSIONS, shape } from './planned';

const VISITS_OF_PAGE = {
  from: ['allpv'],
  filter: { url: '/a' },
  keep: ['allpv.session_id'],
  calc: { n: 'COUNT(allpv.pv_id)' },
};
const joined = (mode: string) => ({
  with: 'rest',
  on: [{ left: 'allpv.session_id', right: 'rest.session_id' }],
  'if not match': mode,
});
const PASS = ['exclude-visits'];
const counted = (from: string, found: string, more: object = {}) => ({
  from: [from],
  join: {
    with: found,
    on: [{ left: 'allpv.session_id', right: `${found}.session_id` }],
    'if not match': 'keep-left',
  },
  keep: [`${from}.session_id`],
  calc: { excluded: `COUNT(${found}.n)` },
  ...more,
});
const rest = (name: string, value = 0) => ({
  from: [name],
  filter: { excluded: value },
  keep: [`${name}.session_id`],
});
const without = (changes: Record<string, object> = {}, view: object = {}): Question => ({
  earlier: {
    found: VISITS_OF_PAGE,
    counted: counted('allpv', 'found'),
    rest: rest('counted'),
    ...changes,
  },
  view: { ...grouped(['device_type'], SESSIONS), join: joined('drop'), ...view },
});
const TWICE: Question = {
  ...without(),
  earlier: {
    found_1: VISITS_OF_PAGE,
    counted_1: counted('allpv', 'found_1'),
    rest_1: rest('counted_1'),
    found_2: { ...VISITS_OF_PAGE, filter: { url: '/b' } },
    counted_2: counted('rest_1', 'found_2'),
    rest: rest('counted_2'),
  },
};
const MATCHES = 'group extend filter extend scan';
const EXCLUDED = `limit order group extend filter join (extend scan) (${MATCHES})`;

test.each<[string, Question, string]>([
  ['visits without a view of one page', without(), EXCLUDED],
  [
    'with a filter',
    without({}, { filter: { device_type: 'PC' } }),
    'limit order group extend filter join (extend filter extend scan) (group extend filter extend scan)',
  ],
  [
    'visits without a view of either of two pages',
    TWICE,
    `limit order group extend filter join (filter join (extend scan) (${MATCHES})) (${MATCHES})`,
  ],
])('%s', (_title, question, expected) => expect(shape(question, PASS)).toBe(expected));

test.each<[string, Question, string]>([
  ['visits with one match', without({ rest: rest('counted', 1) }), ''],
  [
    'visits excluded by page views in a different range',
    without({
      counted: counted('allpv', 'found', {
        time: { start: '2026-04-01T00:00:00', end: '2026-05-01T00:00:00' },
      }),
    }),
    'The rows are not among those whose visits are counted.',
  ],
  [
    'visits excluded on only one device',
    without({ counted: counted('allpv', 'found', { filter: { device_type: 'PC' } }) }),
    'The rows are not among those whose visits are counted.',
  ],
  ['rows without a match are kept', without({}, { join: joined('keep-left') }), ''],
])('does not fire: %s', (_title, question, reason) => {
  expect(planned(question, PASS)).toMatchObject({ did: 'nothing', because: reason === '' ? [] : [reason] });
});
