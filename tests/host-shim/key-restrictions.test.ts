// The restrictions of a key: how input is parsed, and which addresses are in a range.

import { CAPABILITIES, throughKey } from '../../host-shim/accounts/accounts';
import { addressRangeOf, isWithinRanges } from '../../host-shim/auth/address-ranges';
import { grantableLevels } from '../../host-shim/auth/key-levels';
import { isRestricted, readRestrictions, UNRESTRICTED } from '../../host-shim/auth/key-restrictions';
import { type HostUser, KEY_LEVELS, type KeyLevel } from '../../host-shim/extension-api';

type Typed = Parameters<typeof readRestrictions>[0];
type Facts = Parameters<typeof readRestrictions>[1];

const facts: Facts = {
  now: new Date('2026-11-21T10:00:00Z'),
  timezone: 'Europe/Berlin',
  sites: ['shop', 'blog'],
  known: ['blog', 'shop', 'secret'],
  levels: KEY_LEVELS,
};
const read = (typed: Typed, more: Partial<Facts> = {}) => readRestrictions(typed, { ...facts, ...more });

function restrictions(typed: Typed, more: Partial<Facts> = {}) {
  const outcome = read(typed, more);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.faults));
  return outcome.restrictions;
}

function faults(typed: Typed, more: Partial<Facts> = {}) {
  const outcome = read(typed, more);
  return outcome.ok ? {} : outcome.faults;
}

test.each([[{}], [{ expires: ' ', sites: [], addresses: '\n', share: '' }], [{ sites: [] }]])(
  'empty input restricts nothing: %j',
  (typed) => {
    expect(restrictions(typed)).toEqual(UNRESTRICTED);
    expect(isRestricted(restrictions(typed))).toBe(false);
  },
);

test.each([
  ["a date includes the whole day, in the user's time zone", '2027-01-31', '2027-01-31T23:00:00.000Z'],
  ['a date in summer', '2027-07-01', '2027-07-01T22:00:00.000Z'],
  ['today, which is still valid', '2026-11-21', '2026-11-21T23:00:00.000Z'],
  ['a local time', '2027-01-31T12:00', '2027-01-31T11:00:00.000Z'],
  ['a local time with seconds', '2027-01-31 12:00:30', '2027-01-31T11:00:30.000Z'],
  ['an instant', '2027-01-31T12:00:00Z', '2027-01-31T12:00:00.000Z'],
  ['an instant as JavaScript writes it', '2027-01-31T12:00:00.000Z', '2027-01-31T12:00:00.000Z'],
  ['a fraction of a local time', '2027-01-31T12:00:00.5', '2027-01-31T11:00:00.500Z'],
  ['the last allowed time', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ['an offset', '2027-01-31T12:00+09:00', '2027-01-31T03:00:00.000Z'],
  ['a leap day', '2028-02-29', '2028-02-29T23:00:00.000Z'],
])('expiry: %s', (_label, expires, instant) => {
  expect(restrictions({ expires }).expiresAt?.toISOString()).toBe(instant);
});

test.each([
  ['text that is not a date', 'soon', /a date such as 2027-01-31.*"soon" is neither/],
  ['a date in a different order', '31.01.2027', /a date such as 2027-01-31/],
  ['an invalid day', '2027-02-30', /a date such as/],
  ['a leap day in a common year', '2027-02-29', /a date such as/],
  ['an invalid hour', '2027-01-31T25:00', /a date such as/],
  ['a leap second', '2027-01-31T12:00:60', /a date such as/],
  ['a leap second in UTC', '2027-01-31T23:59:60Z', /a date such as/],
  ['an instant after the last allowed time', '9999-12-31T23:59:59.5Z', /is not before the year 10000 in UTC/],
  ['a time that is in the year 10000 in UTC', '9999-12-31T23:59:59-01:00', /before the year 10000/],
  ['a long year', '+012027-01-31', /a date such as/],
  ['yesterday', '2026-11-20', /is in the past/],
  ['the current time', '2026-11-21T10:00:00Z', /is in the past/],
])('invalid expiry: %s', (_label, expires, sentence) => {
  expect(faults({ expires })).toEqual({ expires: expect.stringMatching(sentence) });
});

test('the last possible day may end in the following year', () => {
  expect(restrictions({ expires: '9999-12-31' }).expiresAt?.toISOString()).toBe('9999-12-31T23:00:00.000Z');
  expect(faults({ expires: '9999-12-31' }, { timezone: 'America/New_York' }).expires).toMatch(/year 10000/);
});

test('repeated sites count once', () => {
  expect(restrictions({ sites: ['shop', ' blog ', 'shop'] }).sites).toEqual(['shop', 'blog']);
  expect(restrictions({ sites: ['secret'] }, { sites: 'all' }).sites).toEqual(['secret']);
});

test('the error for an unknown site is the same as for one that the owner cannot see, and lists the visible sites', () => {
  const refusal = (id: string) => faults({ sites: ['shop', id] }).sites;
  expect(refusal('shpo')).toBe('This account has no access to shpo; it has access to blog, shop.');
  expect(refusal('secret')?.replace('secret', 'shpo')).toBe(refusal('shpo'));
  expect(faults({ sites: ['gone'] }, { sites: ['gone'] }).sites).toMatch(/; it has access to no site\.$/);
});

test('an empty name does not grant all sites', () => {
  expect(faults({ sites: [''] }).sites).toMatch(/One of the site ids is empty/);
  expect(faults({ sites: ['shop', ' '] }).sites).toMatch(/One of the site ids is empty/);
  expect(faults({ addresses: ' , ' }).addresses).toBe('There is no address in ",".');
});

test('addresses and ranges may be separated by commas, semicolons, spaces or line breaks', () => {
  const typed = '192.0.2.7, 10.0.0.0/8\n2001:DB8:0:0::/32;::1 ::ffff:10.1.2.3 192.0.2.7';
  expect(restrictions({ addresses: typed }).addressRanges).toEqual([
    '192.0.2.7',
    '10.0.0.0/8',
    '2001:db8::/32',
    '::1',
    '10.1.2.3',
  ]);
});

test.each([
  '10.0.0',
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  'example.org',
  '010.0.0.1',
  'fe80::1%eth0',
  '*',
  '10.0.0.0/-1',
  '::ffff:10.0.0.0/8',
])('invalid address: %s', (addresses) => {
  expect(faults({ addresses })).toEqual({ addresses: expect.stringContaining(`"${addresses}" is neither`) });
});

test('too many ranges are rejected', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `10.0.0.${index}`).join(' ');
  expect(restrictions({ addresses: many(50) }).addressRanges).toHaveLength(50);
  expect(faults({ addresses: many(51) }).addresses).toMatch(/^At most 50/);
});

test.each([['1'], ['20'], ['99'], [' 5 ']])('a share of %s percent is accepted', (share) => {
  expect(restrictions({ share }).rateShare).toBe(Number(share));
});

test.each(['0', '100', '-1', '2.5', '20%', 'half', '1e1'])('invalid share: %s', (share) => {
  expect(faults({ share })).toEqual({
    share: expect.stringMatching(/whole percentage from 1 to 99/),
  });
});

test('all invalid fields are reported at once', () => {
  expect(Object.keys(faults({ expires: 'x', sites: ['x'], addresses: 'x', share: 'x' }))).toEqual([
    'expires',
    'sites',
    'addresses',
    'share',
  ]);
});

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['::ffff:10.1.2.3', '10.0.0.0/8', true],
  ['::ffff:a01:203', '10.0.0.0/8', true],
  ['10.1.2.3', '::ffff:10.0.0.0/104', true],
  ['11.1.2.3', '::ffff:10.0.0.0/104', false],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.8', '192.0.2.7', false],
  ['192.0.2.8', '0.0.0.0/0', true],
  ['2001:db8::7', '2001:db8::/32', true],
  ['2001:db9::7', '2001:db8::/32', false],
  ['2001:db8:0:0:0:0:0:7', '2001:db8::7', true],
  ['::1', '::1', true],
  // In IPv6 notation, every IPv4 address is within ::/64, but such a range is not meant to include IPv4.
  ['192.0.2.7', '::/64', false],
  ['192.0.2.7', '::/0', false],
  ['::1', '0.0.0.0/0', false],
  ['fe80::1%eth0', 'fe80::/10', true],
  ['', '0.0.0.0/0', false],
  ['nonsense', '::/0', false],
])('%s within %s: %s', (address, range, expected) => {
  expect(isWithinRanges(address, [range])).toBe(expected);
});

test('one matching range is enough', () => {
  expect(isWithinRanges('192.0.2.7', ['10.0.0.0/8', '::1', '192.0.2.0/24'])).toBe(true);
  expect(isWithinRanges('192.0.2.7', [])).toBe(false);
});

test('a range is stored in normalized form', () => {
  expect(addressRangeOf('::FFFF:0a00:0000/104')).toBe('10.0.0.0/8');
  expect(addressRangeOf('10.0.0.1/32')).toBe('10.0.0.1');
});

describe('a level', () => {
  test.each([
    ['defaults to reading for a restricted key', { share: '10' }, KEY_LEVELS, 'read'],
    ['is the requested one', { share: '10', level: 'import' }, KEY_LEVELS, 'import'],
    ['is limited if the creator cannot import', {}, ['read', 'manage'], 'manage'],
  ] as const)('%s', (_what, typed, levels, level) => {
    expect(restrictions(typed, { levels }).level).toBe(level);
  });

  test.each([
    ['that does not exist', { level: 'fly' }, KEY_LEVELS, '"fly" is not one of the levels'],
    [
      "above the creator's own",
      { level: 'all' },
      ['read', 'manage'],
      'is not one of the levels that can be assigned here: read, manage',
    ],
    [
      'that allows everything, on a restricted key,',
      { level: 'all', share: '10' },
      KEY_LEVELS,
      'A restricted password cannot do everything',
    ],
    [
      'that allows everything but imports, on a restricted key,',
      { level: 'manage', share: '10' },
      KEY_LEVELS,
      'A restricted password cannot do everything',
    ],
  ] as const)('%s is rejected', (_what, typed, levels, sentence) => {
    expect(faults(typed, { levels }).level).toContain(sentence);
  });

  const without = (...removed: readonly string[]) =>
    CAPABILITIES.administrator.filter((one) => !removed.includes(one));
  test.each([
    ['an administrator', CAPABILITIES.administrator, CAPABILITIES.administrator, KEY_LEVELS],
    ['a password that cannot import', CAPABILITIES.administrator, without('import'), ['read', 'manage']],
    ['an analyst', CAPABILITIES.analyst, CAPABILITIES.analyst, ['read', 'manage', 'all']],
    ['a password that can import', CAPABILITIES.administrator, ['read', 'import'], ['read', 'import']],
  ] as const)('can be assigned by %s', (_who, owner, caller, levels) => {
    expect(grantableLevels(owner, caller)).toEqual(levels);
  });
});

describe('a user who authenticates with a key', () => {
  const owner: HostUser = {
    id: 1,
    login: 'ann',
    displayName: 'Ann',
    role: 'administrator',
    capabilities: CAPABILITIES.administrator,
    sites: 'all',
    timezone: 'UTC',
    key: null,
  };
  const key = { uuid: 'u', name: 'n', rateShare: null, restricted: true };

  test("sees only those of the key's sites that the owner can still see", () => {
    const through = (who: HostUser, sites: readonly string[] | null) =>
      throughKey(who, key, { sites, level: 'read' });
    expect(through(owner, ['shop']).sites).toEqual(['shop']);
    expect(through({ ...owner, sites: ['shop', 'blog'] }, ['shop', 'old']).sites).toEqual(['shop']);
    expect(through({ ...owner, sites: ['blog'] }, ['shop']).sites).toEqual([]);
    expect(through({ ...owner, sites: ['blog'] }, null).sites).toEqual(['blog']);
  });

  test.each<[KeyLevel, readonly string[]]>([
    ['read', ['read']],
    ['import', ['read', 'import']],
    ['manage', CAPABILITIES.administrator.filter((one) => one !== 'import')],
    ['all', CAPABILITIES.administrator],
  ])("may do what both the level %s and the owner's capabilities allow", (level, capabilities) => {
    expect(throughKey(owner, key, { sites: null, level }).capabilities).toEqual(capabilities);
    const analyst = { ...owner, capabilities: CAPABILITIES.analyst };
    expect(throughKey(analyst, key, { sites: null, level }).capabilities).toEqual(['read']);
  });
});
