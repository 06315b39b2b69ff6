// The health checks. The command reports each problem with an explanation and a remedy; the public page reports it briefly.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsExtension } from '../../extension/index';
import { hashSecret } from '../../host-shim/auth/application-password';
import { HOST_API } from '../../host-shim/extension-api';
import { checkHealth } from '../../host-shim/health/check-health';
import { type Disk, hostChecks } from '../../host-shim/health/host-checks';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createMemoryLog } from '../support/memory-log';
import { type CommandParts, runCommand } from '../support/run-command';
import { SETTINGS, startOn, type TestHost } from '../support/test-host';

const DAY_MS = 86_400_000;
const clock = () => new Date();
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

let database: TestDatabase;
let host: TestHost;
let dataDir: string;
beforeAll(async () => {
  database = await createTestDatabase();
  host = await startOn(database, {
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  dataDir = await mkdtemp(join(tmpdir(), 'qal-health-'));
});
afterAll(async () => {
  await host.stop();
  await rm(dataDir, { recursive: true });
});

const health = (parts: Partial<CommandParts> = {}, ...options: readonly string[]) =>
  runCommand({ database, clock, dataDir, ...parts }, ['health', ...options]);

const broken = {
  name: 'broken',
  version: '1.0.0',
  description: 'It never starts.',
  requires: { hostApi: HOST_API },
  commands: [],
  register: () => Promise.reject(new Error('the address is missing')),
};

// conformance: beyond.healthz-says-process
test('a new installation is fine, and the command exits with 0', async () => {
  const { code, out, err } = await health();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out.replace(/\d+ ms|\d+%/g, '*')).toBe(
    [
      'Database: fine, responded in *',
      'Migrations: fine, all applied',
      'Clocks: fine, program and database agree',
      'Disk: fine, * free',
      'Extensions: fine, all active extensions are running',
      'Changes by other servers: fine, checked only by servers',
      'Application passwords: fine, none unused for 180 days',
      'Logins: fine, none refused in the last few minutes',
      'Backup: fine, No backup yet',
      'Column store: fine, off',
      "Imports: fine, no source's latest import failed in the last 7 days",
      'Uploads: fine, none in this process',
      'Clicks and events: fine, none are waiting for their page view',
      'Followed logs: fine, no gaps',
      'Queries: fine, no internal errors in the last 24 hours',
      'Retention: fine, no site has a limit',
      'Storage: fine, 0 B of rows',
      'Reports: fine, no failed reports',
      '',
    ].join('\n'),
  );
  expect((await health({}, '--quiet')).out).toBe('');
});

interface Problem {
  readonly title: string;
  /** Causes the problem, and returns a function that ends it. */
  begin(): Promise<() => unknown>;
  readonly parts?: Partial<CommandParts>;
  readonly brief: string;
  readonly about: RegExp;
  readonly command?: string;
}

const insertInto = async (table: string, row: object | readonly object[]) => {
  await database.write(table).insert(row);
  return () => database.write(table).delete();
};
const migration = { schema: 'host', name: '0084-backups' };
const writeCopyState = async (status: object) => {
  await mkdir(join(dataDir, 'columns'), { recursive: true });
  const nothing = { sites: [], bytes: 0, rows: 0 };
  await writeFile(join(dataDir, 'columns', 'status.json'), JSON.stringify({ ...nothing, ...status }));
};
const withColumns = () => ({ installed: [analyticsExtension({ ...SETTINGS, columns: true })] });

const PROBLEMS: readonly Problem[] = [
  {
    title: 'Migrations',
    async begin() {
      await database.write('migrations.applied_file').where(migration).delete();
      return () => database.write('migrations.applied_file').insert(migration);
    },
    brief: 'failing, 1 missing',
    about: /The database lacks host\/0084-backups\./,
    command: 'qal migrate',
  },
  {
    title: 'Migrations',
    async begin() {
      await database.write('migrations.applied_file').insert({ schema: 'host', name: '9999-later' });
      return () => database.write('migrations.applied_file').where({ name: '9999-later' }).delete();
    },
    brief: 'failing, 1 from a newer version',
    about: /newer version .* host\/9999-later\./,
  },
  {
    title: 'Clocks',
    begin: async () => () => {},
    parts: { clock: () => new Date(Date.now() + 3_600_000) },
    brief: 'warning, 3,600 s apart',
    about: /The database's clock is 3,600 s behind the program's\./,
  },
  {
    title: 'Extensions',
    begin: async () => () => database.write('host.extension').where({ name: 'broken' }).delete(),
    parts: { installed: [analyticsExtension(SETTINGS), broken] },
    brief: 'failing, 1 could not start',
    about: /broken could not start: the address is missing/,
  },
  {
    title: 'Application passwords',
    async begin() {
      const { user_id } = await database.write('host.users').first('user_id');
      const secret_hash = hashSecret('a secret for this test');
      const password = { user_id, level: 'read', secret_hash, created_at: daysAgo(400) };
      await database.write('host.application_passwords').insert([
        { ...password, uuid: randomUUID(), name: 'old', last_used_at: daysAgo(181), expires_at: null },
        { ...password, uuid: randomUUID(), name: 'ended', last_used_at: null, expires_at: daysAgo(200) },
      ]);
      return () => database.write('host.application_passwords').where({ secret_hash }).delete();
    },
    brief: 'warning, 1 unused for 180 days',
    about: /Unused for 180 days: 1 application password\. Owners: ann\./,
  },
  {
    title: 'Logins',
    async begin() {
      const ends_at = new Date(Date.now() + 60_000);
      const counts = ['login 192.0.2.1', 'application password 192.0.2.1', 'login 2001:db8:0:0::/56'];
      const guessing = counts.map((name) => ({ name, seconds: 300, count: 20, ends_at }));
      // These are not included: another count of the same attempts, an expired count, and a rate limit.
      const others = ['login of ann', 'login 192.0.2.9', 'reading 1'];
      const rest = others.map((name) => ({
        name,
        seconds: 60,
        count: 99,
        ends_at: name.endsWith('9') ? daysAgo(1) : ends_at,
      }));
      return insertInto('host.window_count', [...guessing, ...rest]);
    },
    brief: 'warning, 60 refused in the last few minutes',
    about: /Wrong passwords came from 192\.0\.2\.1 \(40\), 2001:db8:0:0::\/56 \(20\)\. An address/,
  },
  {
    title: 'Followed logs',
    async begin() {
      const [{ site_id }] = await database.write('analytics.site').where({ tracking_id: 'shop' });
      const run = {
        site_id,
        material: 'allpv',
        rows_read: 1,
        rows_added: 1,
        rows_unchanged: 0,
        rows_rejected: 0,
      };
      const killed = { ...run, source: '/var/log/access.log', status: 'following', started_at: new Date() };
      // These are not reported: a log that is followed again, one that ended normally, and one that was killed long ago.
      const others = [
        { ...killed, source: '/var/log/again.log' },
        { ...killed, source: 'again.log' },
        { ...killed, source: '/var/log/ended.log', status: 'done' },
        { ...killed, source: '/var/log/old.log', started_at: daysAgo(9) },
      ];
      await database
        .write('analytics.import_run')
        .insert([killed, ...others.slice(0, 2), ...others.slice(2)]);
      await database.write.raw(
        `UPDATE analytics.import_run SET status = 'done' WHERE import_id = (SELECT max(import_id) FROM analytics.import_run WHERE source LIKE '%again.log')`,
      );
      return () => database.write('analytics.import_run').delete();
    },
    brief: 'failing, 1 log is no longer followed',
    about:
      /\/var\/log\/access\.log of shop was followed until the command was killed or lost its connection to the database\./,
  },
  {
    title: 'Backup',
    begin: () => insertInto('host.backup', { made_at: daysAgo(9.5), bytes: 1 }),
    brief: 'warning, the last is 9 days old',
    about: /The last backup by qal backup was written on \d{4}-\d\d-\d\d, 9 days ago\./,
    command: 'qal backup FILE',
  },
  {
    title: 'Column store',
    async begin() {
      await writeCopyState({ state: 'unavailable', reason: 'The disk is full.' });
      return () => rm(join(dataDir, 'columns'), { recursive: true });
    },
    parts: withColumns(),
    brief: 'warning, unavailable',
    about: /The disk is full\. Meanwhile, queries are answered from rows/,
    command: 'qal columns rebuild',
  },
  {
    title: 'Column store',
    async begin() {
      const reason = 'Another process has the columnar copy open.';
      await writeCopyState({ state: 'unavailable', reason, obstacle: 'in use' });
      return () => rm(join(dataDir, 'columns'), { recursive: true });
    },
    parts: withColumns(),
    brief: 'warning, unavailable',
    about: /Another process has the columnar copy open\./,
  },
  {
    title: 'Column store',
    async begin() {
      await writeCopyState({ state: 'unavailable', reason: 'The server ended twice.', obstacle: 'crashed' });
      return () => rm(join(dataDir, 'columns'), { recursive: true });
    },
    parts: withColumns(),
    brief: 'failing, unavailable',
    about: /The server ended twice\. Meanwhile, queries are answered from rows/,
    command: 'qal columns rebuild',
  },
  {
    title: 'Column store',
    async begin() {
      const { site_id, token, data_version } = await database.write('analytics.site_version').first();
      await database.write('analytics.site_version').where({ site_id }).increment('data_version');
      await database
        .write('analytics.change')
        .where({ site_id })
        .update({ changed_at: daysAgo(0.5) });
      const copiedAt = daysAgo(1).getTime() / 1000;
      await writeCopyState({
        state: 'ready',
        sites: [{ siteId: site_id, version: token, number: Number(data_version), copiedAt }],
      });
      return async () => {
        await rm(join(dataDir, 'columns'), { recursive: true });
      };
    },
    parts: withColumns(),
    brief: 'warning, behind for more than 10 minutes',
    about: /The copy of shop is missing changes/,
    command: 'qal columns status',
  },
  {
    title: 'Imports',
    async begin() {
      const failed = await runCommand(
        { database, clock },
        ['import', 'allpv', '--site', 'shop', '-'],
        'no JSON\n',
      );
      expect(failed.code).toBe(1);
      return () => database.write('analytics.import_run').delete();
    },
    brief: 'warning, the latest import failed for 1 source',
    about: /Import \d+, .* as allpv into shop: /,
    command: 'qal imports show',
  },
  {
    title: 'Queries',
    begin: () =>
      insertInto('analytics.query_record', {
        asked_at: new Date(),
        user_id: 1,
        login: 'ann',
        version: '2026-05-11',
        body: '{}',
        milliseconds: 1,
        status: 500,
      }),
    brief: 'warning, 1 failed and 0 rejected in 24 hours',
    about: /1 query failed because of an internal error\./,
  },
  {
    title: 'Followed logs',
    async begin() {
      const [{ site_id }] = await database.write('analytics.site').where({ tracking_id: 'shop' });
      await database.write('analytics.follow_gap').insert({
        site_id,
        material: 'allpv',
        path: '/var/log/access.log',
        head: 'h',
        tail: 't',
        position: 52,
        options: 'allpv --site shop',
        found_at: '2026-05-01T09:00:00Z',
      });
      return () => database.write('analytics.follow_gap').delete();
    },
    brief: 'failing, 1 gap',
    about:
      /access\.log of shop was rotated away before all of it was read\. Everything after byte 52 is missing/,
    command: 'qal import allpv --site shop --gap',
  },
  {
    title: 'Retention',
    async begin() {
      await database.write('analytics.site').update({ retention_days: 30 });
      const rows = [{ url: 'https://shop.example/', access_time: daysAgo(40).toISOString() }];
      await host.importRows('allpv', 'shop', rows);
      return () => database.write('analytics.site').update({ retention_days: null });
    },
    brief: 'warning, overdue on 1 site',
    about: /Some visits on shop are older than the site's retention limit\./,
  },
];

// conformance: beyond.healthz-says-process
test.each(PROBLEMS)('$title: $brief', async ({ title, begin, parts, brief, about, command }) => {
  const end = await begin();
  try {
    const { code, out, err } = await health(parts, '--quiet');
    const [first, ...rest] = out.split('\n');
    expect(first).toBe(`${title}: ${brief}`);
    expect(rest[0]).toMatch(about);
    if (command === undefined) expect(out).not.toMatch(/^ +qal /m);
    else expect(rest[2]).toContain(`  ${command}`);
    // In a database with a different schema, no other checks run.
    const checks = title === 'Migrations' ? 2 : 18;
    expect({ code, err }).toEqual({ code: 1, err: `1 of ${checks} checks found a problem.\n` });
  } finally {
    await end();
  }
});

test('the Extensions check fails while a required extension is not running', async () => {
  const needed = { ...broken, name: 'needed', required: true, register: async () => {} };
  const { write } = database;
  try {
    expect((await health({ installed: [analyticsExtension(SETTINGS), needed] })).code).toBe(0);
    const failing = await health(
      { installed: [analyticsExtension(SETTINGS), { ...needed, register: broken.register }] },
      '--quiet',
    );
    expect([failing.code, failing.out]).toEqual([
      1,
      expect.stringMatching(
        /^Extensions: failing, 1 could not start\n.*needed could not start: the address is missing/,
      ),
    ]);
    const off = {
      ...needed,
      register: async () => {
        await write('host.extension').where({ name: 'needed' }).update({ state: 'inactive' });
      },
    };
    const stopped = await health({ installed: [analyticsExtension(SETTINGS), off] }, '--quiet');
    expect([stopped.code, stopped.out]).toEqual([
      1,
      expect.stringMatching(
        /^Extensions: failing, 1 required, but off\n.*needed is off, but this program needs it\./,
      ),
    ]);
  } finally {
    await write('host.extension').where({ name: 'needed' }).delete();
  }
});

test.each<[Disk, string, (number | null)?, RegExp?]>([
  [{ freeBytes: 11e9, bytes: 1e12 }, 'fine'],
  [{ freeBytes: 9e9, bytes: 1e12 }, 'warning'],
  [{ freeBytes: 0.9e9, bytes: 1e12 }, 'failing'],
  [{ freeBytes: 1.1e9, bytes: 10e9 }, 'fine'],
  [{ freeBytes: 0.1e9, bytes: 10e9 }, 'failing'],
  [{ freeBytes: 410e9, bytes: 1e12 }, 'fine', 10e9, /^41% free, full in about 41 days$/],
  [{ freeBytes: 410e9, bytes: 1e12 }, 'fine', 1e6, /^41% free$/],
  [{ freeBytes: 410e9, bytes: 1e12 }, 'fine', -5, /^41% free$/],
  [{ freeBytes: 299e9, bytes: 1e12 }, 'warning', 10e9, /^29% free, full in about 29 days$/],
  [{ freeBytes: 15e9, bytes: 1e12 }, 'warning', 10e9, /^1% free, full in about 1 day$/],
])(
  'a disk with %j is reported as %s if its use grows by %j bytes a day',
  async (disk, state, growth = null, brief = /% free$/) => {
    const checks = hostChecks({
      clock,
      write: database.write,
      dataDir: join(dataDir, 'not', 'there'),
      extensions: { followedAt: () => undefined, list: async () => [] },
      compareMigrations: async () => ({ missing: [], unknown: [] }),
      dailyGrowth: async () => growth,
      // The data directory may not exist yet.
      readDisk: async (folder) => (folder === dataDir ? disk : Promise.reject(new Error('ENOENT'))),
    });
    const { log, logged } = createMemoryLog();
    const lines = await checkHealth(
      checks.filter(({ title }) => title === 'Disk'),
      log,
    );
    expect(lines).toMatchObject([{ title: 'Disk', state, brief: expect.stringMatching(brief) }]);
    expect(logged).toEqual([]);
  },
);

test('a backup is recorded', async () => {
  const file = join(dataDir, 'today.gz');
  expect((await runCommand({ database, clock }, ['backup', file])).code).toBe(0);
  expect((await health()).out).toContain('Backup: fine, the last is 0 days old\n');
  await database.write('host.backup').delete();
});

// conformance: beyond.healthz-says-process
test('/readyz returns 503 while a migration is missing, and reports it', async () => {
  await database.write('migrations.applied_file').where(migration).delete();
  const refused = await host.request('GET', '/readyz');
  await database.write('migrations.applied_file').insert(migration);
  expect([refused.status, refused.text]).toEqual([503, 'Migrations: failing, 1 missing\n']);
  expect((await host.request('GET', '/readyz')).status).toBe(200);
});

// conformance: beyond.healthz-says-process
test('/healthz?details=1 publishes the state of each check', async () => {
  const { status, text } = await host.request('GET', '/healthz?details=1');
  expect(status).toBe(200);
  expect(text).toMatch(/^ok\nDatabase: fine, responded in \d+ ms\nMigrations: fine, all applied\n/);
  expect(text).toContain('\nImports: fine, ');
});
