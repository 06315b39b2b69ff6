// The file of sites: what it makes, that it can be applied again, and how its faults are told.
import { applySites, listSites } from '../../db/sites/apply-sites';
import { parseSiteFile, readSiteYaml, SitesError } from '../../db/sites/site-file';
import { createTestDatabase, type TestDatabase } from '../support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

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

test('makes, changes, and leaves alone', async () => {
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
  const listed = await listSites(database.write);
  expect(listed).toEqual([
    {
      trackingId: 'one',
      domain: 'one.example',
      name: 'one',
      timezone: 'Europe/Berlin',
      isDefault: true,
      goals: 0,
      views: 0,
    },
    {
      trackingId: 'two',
      domain: 'two.example',
      name: 'Zwei',
      timezone: 'Europe/Berlin',
      isDefault: false,
      goals: 0,
      views: 0,
    },
  ]);
});

test('the default moves from one site to another', async () => {
  await apply(site('first', { default: true }));
  await apply(site('second', { default: true }));
  const defaults = (await listSites(database.write)).filter((one) => one.isDefault);
  expect(defaults.map((one) => one.trackingId)).toEqual(['second']);
});

test.each([
  [{ type: 'gtype_click', condition: { selector: '#buy' } }],
  [{ type: 'gtype_event', condition: { event: 'purchase', value: 10 } }],
  [{ type: 'url_match', condition: '/thanks' }],
  [{ type: 'click', condition: '#buy' }],
  [{ type: 'scroll_depth', condition: 90 }],
])('goal %j', (one) => {
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

test('faults are told with their place', () => {
  expect(faults(site('a b'))).toEqual(['sites[0].tracking_id: must consist of letters, digits, _ and -']);
  expect(faults(site('all'))[0]).toContain('must not be "all"');
  expect(faults(site('a', { timezone: 'JST' }))[0]).toContain('sites[0].timezone: must be the full name');
  expect(faults(site('a'), site('a'))).toEqual(['sites[1].tracking_id: a stands there twice']);
  expect(faults(site('a', { default: true }), site('b', { default: true }))).toEqual([
    'sites[1].default: only one site can be the default',
  ]);
  expect(faults(site('a', { goals: [goal, goal] }))).toEqual(['sites[0].goals[1].id: 1 stands there twice']);
  expect(faults(site('a', { goals: [{ ...goal, id: 11 }] }))).toEqual([
    'sites[0].goals[0].id: must be 1 to 10',
  ]);
  const regex = { url: '(', match: 'regex' };
  expect(faults(site('a', { goals: [{ ...goal, condition: regex }] }))[0]).toContain(
    'must be a regular expression',
  );
  expect(faults(site('a', { colour: 'red' }))[0]).toContain('colour');
});

test('a text that is no YAML is told so', () => {
  expect(readSiteYaml('sites: []')).toEqual({ sites: [] });
  expect(() => readSiteYaml('sites: [')).toThrow(SitesError);
});

test('a file with a fault changes nothing', async () => {
  await expect(applySites(database.write, { sites: [site('fine'), site('b b')] })).rejects.toThrow(
    SitesError,
  );
  expect((await listSites(database.write)).map((one) => one.trackingId)).not.toContain('fine');
});
