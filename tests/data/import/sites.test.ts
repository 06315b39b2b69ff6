// The sites file: what it changes, whether it can be applied again, and how its errors are reported.
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { listSites } from '../../../extension/data/storage/sites/list-sites';
import { parseSiteFile, readSiteYaml, SitesError } from '../../../extension/data/storage/sites/site-file';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();

const site = (tracking_id: string, more: object = {}) => ({
  tracking_id,
  domain: `${tracking_id}.example`,
  name: tracking_id,
  timezone: 'Europe/Berlin',
  ...more,
});

const goal = { id: 1, name: 'Order', type: 'gtype_page', condition: { url: '/thanks/', match: 'prefix' } };

const apply = async (...sites: object[]) =>
  (await applySites(database.write, { sites })).map((one) => one.outcome);

test('creates and updates sites, and does not change other sites', async () => {
  expect(await apply(site('one', { default: true, goals: [goal] }), site('two'))).toEqual([
    'created',
    'created',
  ]);
  expect(await apply(site('one', { default: true, goals: [goal] }), site('two'))).toEqual([
    'unchanged',
    'unchanged',
  ]);
  expect(await apply(site('two', { name: 'Zwei' }))).toEqual(['updated']);
  expect(await apply(site('one', { default: true, goals: [{ ...goal, name: 'Sale' }] }))).toEqual([
    'updated',
  ]);
  expect(await apply(site('one', { default: true }))).toEqual(['updated']);
  const listed = await listSites(database.read, NO_WORKERS);
  expect(listed).toEqual([
    {
      trackingId: 'one',
      domain: 'one.example',
      name: 'one',
      timezone: 'Europe/Berlin',
      isDefault: true,
      retentionDays: null,
      goals: 0,
      views: 0,
    },
    {
      trackingId: 'two',
      domain: 'two.example',
      name: 'Zwei',
      timezone: 'Europe/Berlin',
      isDefault: false,
      retentionDays: null,
      goals: 0,
      views: 0,
    },
  ]);
});

// conformance: site.default
test('the default can be moved from one site to another', async () => {
  await apply(site('first', { default: true }));
  await apply(site('second', { default: true }));
  const defaults = (await listSites(database.read, NO_WORKERS)).filter((one) => one.isDefault);
  expect(defaults.map((one) => one.trackingId)).toEqual(['second']);
});

test.each([
  [{ type: 'gtype_click', condition: { selector: '#buy' } }],
  [{ type: 'gtype_event', condition: { event: 'purchase', value: 10 } }],
  [{ type: 'url_match', condition: '/thanks' }],
  [{ type: 'click', condition: '#buy' }],
  [{ type: 'scroll_depth', condition: 90 }],
  // conformance: goal.type
])('goal %j is valid', (one) => {
  expect(parseSiteFile({ sites: [site('a', { goals: [{ id: 2, name: 'Goal', ...one }] })] })).toHaveLength(1);
});

const faults = (...sites: object[]): readonly string[] => {
  try {
    parseSiteFile({ sites });
    return [];
  } catch (error) {
    if (error instanceof SitesError) return error.faults.map((one) => `${one.path}: ${one.message}`);
    throw error;
  }
};

test('while a file waits for an import, other sites and the table of sites can be changed', async () => {
  await apply(site('free'), site('busy'));
  let applied: Promise<unknown> | undefined;
  const lock = 'pg_advisory_xact_lock(?, site_id) AS got FROM analytics.site WHERE tracking_id = ?';
  await database.write.transaction(async (running) => {
    await running.raw(`SELECT ${lock}`, [LOCKS.site, 'busy']);
    applied = apply(site('free', { name: 'Free' }), site('busy', { name: 'Busy' }));
    await until(async () => {
      const { rows } = await running.raw(
        'SELECT FROM pg_locks JOIN analytics.site ON objid = site_id WHERE classid = ? AND tracking_id = ? AND NOT granted',
        [LOCKS.site, 'busy'],
      );
      return rows.length > 0;
    });
    const { rows: free } = await running.raw(
      `SELECT got, pg_try_advisory_xact_lock(?) AS "gotSites" FROM (SELECT ${lock.replace('pg_', 'pg_try_')}) f`,
      [LOCKS.sites, LOCKS.site, 'free'],
    );
    expect(free).toEqual([{ got: true, gotSites: true }]);
  });
  expect(await applied).toEqual(['updated', 'updated']);
});

// conformance: site.tracking-id, site.timezone, goal.id-1-10, limit.goal-ids-1
test('errors are listed with their positions', () => {
  expect(faults(site('a b', { domain: 'a.example' }))).toEqual([
    'sites[0].tracking_id: must consist of letters, digits, _ and -',
  ]);
  expect(faults(site('all'))[0]).toContain('must not be "all"');
  expect(faults(site('a', { timezone: 'JST' }))[0]).toContain('sites[0].timezone: must be the full name');
  expect(faults(site('a'), site('a'))).toEqual(['sites[1].tracking_id: a occurs twice']);
  expect(faults(site('a', { default: true }), site('b', { default: true }))).toEqual([
    'sites[1].default: only one site can be the default',
  ]);
  expect(faults(site('a', { goals: [goal, { ...goal, name: 'Other' }] }))).toEqual([
    'sites[0].goals[1].id: 1 occurs twice',
  ]);
  expect(faults(site('a', { goals: [goal, { ...goal, id: 2, name: goal.name.toUpperCase() }] }))).toEqual([
    `sites[0].goals[1].name: ${goal.name.toUpperCase()} occurs twice`,
  ]);
  expect(faults(site('a', { goals: [{ ...goal, id: 11 }] }))).toEqual([
    'sites[0].goals[0].id: must be 1 to 10',
  ]);
  const regex = { url: '(', match: 'regex' };
  expect(faults(site('a', { goals: [{ ...goal, condition: regex }] }))[0]).toContain(
    'must be a regular expression',
  );
  expect(faults(site('a', { colour: 'red' }))).toEqual([
    'sites[0]: colour is not a valid key; the keys are tracking_id, domain, name, timezone, default, retention_days, import, channels, goals',
  ]);
});

const partners = { channel: 'Partners', source: ['@friends', null], medium: ['link*'] };

test('channel rules are replaced with those in the file', async () => {
  const lists = { friends: ['friend.example'] };
  expect(await apply(site('ruled', { channels: { lists, rules: [partners] } }))).toEqual(['created']);
  expect(await apply(site('ruled', { channels: { lists, rules: [partners] } }))).toEqual(['unchanged']);
  expect(await apply(site('ruled', { channels: { rules: [], defaults: false } }))).toEqual(['updated']);
  expect(await apply(site('ruled'))).toEqual(['updated']);
  expect(await apply(site('ruled'))).toEqual(['unchanged']);
});

test('errors in channel rules are listed with their positions', () => {
  const ruleFaults = (...rules: object[]) => faults(site('a', { channels: { rules } }));
  expect(ruleFaults(partners)[0]).toMatch(
    /^sites\[0\]\.channels\.rules\[0\]\.source: @friends is not a list; the lists are search, social,/,
  );
  expect(ruleFaults({ channel: 'A' })).toEqual([
    'sites[0].channels.rules[0]: must have a source, a medium or a click_id',
  ]);
  expect(ruleFaults({ channel: 'A', medium: ['a*b'] })).toEqual([
    'sites[0].channels.rules[0].medium[0]: may have * only at its beginning and end',
  ]);
  expect(ruleFaults(...Array.from({ length: 13 }, () => ({ channel: 'A', medium: ['a'] })))).toEqual([
    'sites[0].channels.rules: must be at most 12',
  ]);
});

// conformance: goal.condition
test('missing values and wrong types are described in terms of the file', () => {
  const types = 'gtype_page, gtype_click, gtype_event, url_match, click, scroll_depth';
  expect(faults({ tracking_id: 5, domain: null, name: 'a' })).toEqual([
    'sites[0].tracking_id: must be text; put it in quotes',
    'sites[0].domain: is required',
    'sites[0].timezone: is required',
  ]);
  const goals = [
    { id: 'x', name: 'a', type: 'gtype_page', condition: { url: '/', match: 'like' } },
    { id: 1.5, name: 'b', type: 'scroll_depth', condition: 101 },
    { id: 3, name: 'c', type: 'visit', condition: 1 },
    5,
  ];
  expect(faults(site('a', { default: 'yes', goals }))).toEqual([
    'sites[0].default: must be true or false',
    'sites[0].goals[0].id: must be a whole number',
    'sites[0].goals[0].condition.match: must be one of exact, prefix, contains, regex',
    'sites[0].goals[1].id: must be a whole number',
    'sites[0].goals[1].condition: must be at most 100',
    `sites[0].goals[2].type: must be one of ${types}`,
    'sites[0].goals[3]: must be a mapping of keys to values',
  ]);
});

test.each([[[site('a')]], [undefined], ['sites'], [null]])(
  'a file that does not start with "sites:" is rejected: %j',
  (file) => {
    expect(() => parseSiteFile(file)).toThrow(
      'the file: must start with "sites:", followed by the list of sites',
    );
  },
);

test.each([
  ['U+0000', 'a\0b', 'contains the character U+0000, which the database cannot store'],
  ['a lone surrogate', 'a\ud800', 'contains a lone surrogate'],
  ['too many characters', 'x'.repeat(3000), 'must be at most'],
])('strings with %s are rejected everywhere', (_name, value, words) => {
  const event = { id: 1, name: 'E', type: 'gtype_event' };
  const changes = [
    { name: value },
    { domain: value },
    { goals: [{ ...goal, name: value }] },
    { goals: [{ ...goal, condition: { url: value, match: 'exact' } }] },
    { goals: [{ ...event, condition: { event: value } }] },
    { goals: [{ ...event, condition: { event: 'e', more: [{ deep: value }] } }] },
    { goals: [{ ...event, condition: { event: 'e', [value]: 1 } }] },
  ];
  for (const change of changes) expect(faults(site('a', change)).join()).toContain(words);
});

test('a goal cannot contain an infinite number', () => {
  const one = {
    id: 1,
    name: 'E',
    type: 'gtype_event',
    condition: { event: 'e', value: Number.POSITIVE_INFINITY },
  };
  expect(faults(site('a', { goals: [one] }))).toEqual([
    'sites[0].goals[0].condition: contains a number that is not finite, which JSON cannot represent',
  ]);
});

test('a goal cannot contain values that would not be stored exactly', () => {
  const event = (condition: unknown) =>
    site('a', { goals: [{ id: 1, name: 'E', type: 'gtype_event', condition }] });
  expect(faults(event({ event: 'e', order: 2 ** 53 }))[0]).toContain(
    'sites[0].goals[0].condition: contains a number beyond 9007199254740991, which would be rounded; write it as text',
  );
  expect(faults(event({ event: 'e', list: [-(2 ** 60)] }))[0]).toContain('contains a number beyond');
  expect(faults(event({ event: 'e', order: 2 ** 53 - 1, share: 0.1 }))).toEqual([]);
  expect(faults(event(JSON.parse('{"event": "e", "__proto__": {"a": 1}}')))).toEqual([
    'sites[0].goals[0].condition: __proto__ cannot be the name of a parameter',
  ]);
  const yaml = 'sites: [{tracking_id: a, domain: a, name: a, timezone: UTC, goals: [GOAL]}]';
  const file = yaml.replace(
    'GOAL',
    '{id: 1, name: E, type: gtype_event, condition: {event: e, __proto__: x}}',
  );
  expect(() => parseSiteFile(readSiteYaml(file))).toThrow('__proto__ cannot be the name of a parameter');
  expect(faults(event(undefined))).toEqual(['sites[0].goals[0].condition: is required']);
  expect(faults(event('e'))).toEqual(['sites[0].goals[0].condition: must be a mapping of keys to values']);
});

test('a tracking id that is too long is rejected, and so is a value that contains itself', () => {
  expect(faults(site('a'.repeat(65), { domain: 'a.example' }))).toEqual([
    'sites[0].tracking_id: must be at most 64 characters long',
  ]);
  const condition: Record<string, unknown> = { event: 'e' };
  condition.self = condition;
  const goals = [{ id: 1, name: 'E', type: 'gtype_event', condition }];
  expect(faults(site('a', { goals }))[0]).toContain('sites[0].goals[0].condition: is nested too deeply');
  expect(() => readSiteYaml('sites: [{goals: [{condition: &c {event: e, self: *c}}]}]')).toThrow(
    'is nested more than 100 levels deep with aliases expanded',
  );
});

test('text that is not YAML is an error', () => {
  expect(readSiteYaml('sites: []')).toEqual({ sites: [] });
  expect(() => readSiteYaml('sites: [')).toThrow(SitesError);
});

test('a file with an error changes nothing', async () => {
  await expect(applySites(database.write, { sites: [site('fine'), site('b b')] })).rejects.toThrow(
    SitesError,
  );
  expect((await listSites(database.read, NO_WORKERS)).map((one) => one.trackingId)).not.toContain('fine');
});

test.each([
  ['reverses the text', 'a\u202eb', 'U+202E'],
  ['rings the bell', 'a\u0007b', 'U+0007'],
  ['breaks the line', 'a\nb', 'U+000A'],
  ['has no width', 'a\u200bb', 'U+200B'],
  ['begins a paragraph', 'a\u2029b', 'U+2029'],
  ['is a blank letter', 'a\u3164', 'U+3164'],
  ['is a blank pattern', '\u2800', 'U+2800'],
  ['joins nothing', 'a \u200d', 'U+200D'],
])('a name with a character that %s is rejected', (_what, name, code) => {
  const words = `contains the invisible character ${code}; remove it`;
  expect(faults(site('a', { name }))).toEqual([`sites[0].name: ${words}`]);
  expect(faults(site('a', { goals: [{ ...goal, name }] }))).toEqual([`sites[0].goals[0].name: ${words}`]);
});

test('a name must contain a visible character', () => {
  for (const name of [' ', '\u3000', '\u0301'])
    expect(faults(site('a', { name }))).toEqual(['sites[0].name: must contain a visible character']);
});

test.each(['Läden 東京', '👩\u200d💻', '❤\ufe0f\u200d🔥', 'می\u200cخواهم', 'क्\u200dष', 'محل', '?'])(
  'the name %s is valid',
  (name) => {
    expect(parseSiteFile({ sites: [site('a', { name })] })[0]?.name).toBe(name);
  },
);

test.each(['shop.example', 'www.münchen.example', '例え.テスト', 'localhost', '127.0.0.1', 'a_b.example'])(
  'the domain %s is valid',
  (domain) => {
    expect(parseSiteFile({ sites: [site('a', { domain })] })[0]?.domain).toBe(domain);
  },
);

test.each([
  'https://shop.example',
  'a/b?c#d',
  '<b>x</b>',
  'a\u200bb.example',
  'a b.example',
  'a..example',
  '-a.example',
  'shop.example.',
  'shop.example:80',
  `${'x'.repeat(64)}.example`,
])('the domain %j is rejected', (domain) => {
  expect(faults(site('a', { domain }))).toEqual([
    'sites[0].domain: must be a host name such as shop.example, without https:// and without a path',
  ]);
});
