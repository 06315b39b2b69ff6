// The commands of the host and of extensions, run within this process: effects, output and exit codes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { hashSecret } from '../../host-shim/auth/application-password';
import { checkLoginPassword } from '../../host-shim/auth/login-password';
import { cannotRead } from '../../host-shim/cli/extension-commands';
import { runProgram } from '../../host-shim/cli/program';
import { type CommandInput, type Extension, JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { type CommandParts, runCommand } from '../support/run-command';
import { createTestTerminal, type TestTerminal } from '../support/test-terminal';
import { useTestDatabase } from '../support/use-database';

const PASSWORD = 'a long login password';

const database = useTestDatabase();
beforeAll(async () => {
  const site = { domain: 'x.example', name: 'X', timezone: 'UTC' };
  const sites = ['shop', 'blog'].map((tracking_id) => ({ ...site, tracking_id }));
  await applySites(database.write, { sites });
});

const run = (args: readonly string[], input = '', parts: Partial<CommandParts> = {}) =>
  runCommand({ database, ...parts }, args, input);

const addUser = (name: string, ...more: string[]) =>
  run(['users', 'add', name, '--role', 'analyst', '--password-stdin', ...more], `${PASSWORD}\n`);

test('users add creates an account with the login password from standard input', async () => {
  const done = await run(
    [
      'users',
      'add',
      'ann',
      '--role',
      'analyst',
      '--sites',
      'shop, blog',
      '--email',
      'ann@example.org',
      '--password-stdin',
    ],
    `${PASSWORD}\nsecond line`,
  );
  expect(done).toEqual({
    code: 0,
    out: '',
    err: 'Added analyst ann. Next: qal passwords create ann --name NAME\n',
  });
  const row = await database.write('host.users').where({ login: 'ann' }).first();
  expect(row).toMatchObject({ role: 'analyst', email: 'ann@example.org', disabled: false });
  expect(await checkLoginPassword(PASSWORD, row.password_hash)).toBe(true);
  const sites = await database.write('host.user_sites').where({ user_id: row.user_id }).pluck('tracking_id');
  expect(sites.sort()).toEqual(['blog', 'shop']);
});

test('users list shows roles, sites and passwords', async () => {
  await addUser('zoe');
  const { code, out } = await run(['users', 'list']);
  expect(code).toBe(0);
  expect(out).toMatch(/^zoe +analyst +no sites +0 application passwords$/m);
});

// conformance: auth.made-user-profile, host.shown-once
test('passwords create prints only the secret; list shows the password, and revoke revokes it', async () => {
  await addUser('pia');
  const created = await run(['passwords', 'create', 'PIA', '--name', 'laptop']);
  expect(created).toMatchObject({ code: 0, err: '' });
  expect(created.out).toMatch(/^([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}\n$/);
  const stored = await database.write('host.application_passwords').where({ name: 'laptop' }).first();
  expect(stored.secret_hash).toBe(hashSecret(created.out.replace(/\s/g, '')));

  expect((await run(['passwords', 'list', 'pia'])).out).toBe(
    `${stored.uuid}  2026-05-01  never used  laptop  Read\n`,
  );
  expect(await run(['passwords', 'revoke', 'pia', stored.uuid])).toMatchObject({
    code: 0,
    err: 'Revoked 1.\n',
  });
  expect(await run(['passwords', 'revoke', 'pia', stored.uuid])).toMatchObject({
    code: 1,
    err: `pia has no application password ${stored.uuid}.\n`,
  });
});

test('passwords revoke --all revokes all passwords of an account', async () => {
  await addUser('kim');
  for (const name of ['a', 'b']) await run(['passwords', 'create', 'kim', '--name', name]);
  expect(await run(['passwords', 'revoke', 'kim', '--all'])).toMatchObject({ code: 0, err: 'Revoked 2.\n' });
  expect((await run(['passwords', 'list', 'kim'])).out).toBe('');
});

const failures: readonly (readonly [string, readonly string[], string, number, RegExp])[] = [
  ['no command', [], '', 2, /Usage: qal/],
  ['an unknown command', ['dance'], '', 2, /unknown command 'dance'/],
  ['an unknown option', ['users', 'list', '--loud'], '', 2, /unknown option '--loud'/],
  [
    'an option that is given twice',
    ['import', 'allpv', '-', '--map', 'a=url', '--site', 'shop', '--map', 'b=title'],
    '',
    2,
    /option '--map <pairs>' is given twice/,
  ],
  [
    'a check and a rehearsal at once',
    ['backup', '--verify', '--rehearse', 'x.gz'],
    '',
    2,
    /'--rehearse' cannot be used with option '--verify'/,
  ],
  ['a missing argument', ['users', 'add', '--role', 'analyst'], '', 2, /missing required argument 'name'/],
  ['a missing role', ['users', 'add', 'x'], '', 2, /--role <role>' not specified/],
  [
    'an unknown role',
    ['users', 'add', 'x', '--role', 'king'],
    '',
    2,
    /Allowed choices are administrator, analyst/,
  ],
  [
    'no terminal to prompt on',
    ['users', 'add', 'x', '--role', 'analyst'],
    '',
    2,
    /^There is no terminal .* --password-stdin\.\n$/,
  ],
  [
    'no password',
    ['users', 'add', 'x', '--role', 'analyst', '--password-stdin'],
    '',
    2,
    /no password on standard input/,
  ],
  [
    'a short password',
    ['users', 'add', 'x', '--role', 'analyst', '--password-stdin'],
    'short',
    1,
    /at least 8 characters\.\n$/,
  ],
  [
    'a bad login',
    ['users', 'add', 'a b', '--role', 'analyst', '--password-stdin'],
    PASSWORD,
    1,
    /^A login must have 1 to 60/,
  ],
  [
    'an unknown site',
    ['users', 'add', 'x', '--role', 'analyst', '--sites', 'a b', '--password-stdin'],
    PASSWORD,
    1,
    /^There is no site a b; the sites are blog, shop\./,
  ],
  [
    'sites for an administrator',
    ['users', 'add', 'x', '--role', 'administrator', '--sites', 'a', '--password-stdin'],
    PASSWORD,
    1,
    /sees all sites/,
  ],
  [
    'a bad e-mail',
    ['users', 'add', 'x', '--role', 'analyst', '--email', 'x', '--password-stdin'],
    PASSWORD,
    1,
    /not an e-mail/,
  ],
  [
    'an unknown user',
    ['passwords', 'create', 'nobody', '--name', 'n'],
    '',
    1,
    /^There is no user nobody\. Run "qal users list" to see all users\.\n$/,
  ],
  ['an empty name', ['passwords', 'create', 'nobody', '--name', ' '], '', 1, /needs a name/],
  ['neither uuid nor --all', ['passwords', 'revoke', 'nobody'], '', 2, /or use --all\.\n$/],
];

test.each(failures)('%s', async (_label, args, input, code, message) => {
  const failed = await run(args, input);
  expect(failed).toMatchObject({ code, out: '' });
  expect(failed.err).toMatch(message);
  expect(failed.err).not.toMatch(/\n\s+at /);
});

test('a login that is taken is rejected, even if the letter case differs', async () => {
  await addUser('lea');
  expect(await addUser('LEA')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The login LEA.* is taken/),
  });
});

test.each([
  ['that does not exist', 'none.yaml', 'no such file'],
  ['that is a directory', '.', 'it is a directory'],
  ['below a file', 'file/x', 'part of its path is not a directory'],
])('every command reports the same reason why a file %s cannot be read', async (_label, name, reason) => {
  const directory = await mkdtemp(join(tmpdir(), 'qal-test-'));
  await writeFile(join(directory, 'file'), '');
  const file = join(directory, name);
  for (const args of [
    ['sites', 'apply', file],
    ['import', 'allpv', file, '--site', 'x'],
  ])
    expect(await run(args)).toEqual({
      code: 2,
      out: '',
      err: `${file} cannot be read: ${reason}.\n`,
    });
  await rm(directory, { recursive: true });
});

test('sites apply can read standard input', async () => {
  const yaml = 'sites: [{tracking_id: piped, domain: a.example, name: A, timezone: UTC}]';
  expect(await run(['sites', 'apply', '-'], yaml)).toEqual({
    code: 0,
    out: expect.stringMatching(/^piped +created\n$/),
    err: '',
  });
});

test('import shows how many rows it has read', async () => {
  let seconds = 0;
  const clock = () => {
    seconds += 1;
    return new Date(Date.UTC(2026, 4, 1, 10, 0, seconds));
  };
  const view = JSON.stringify({ url: 'https://x.example/', access_time: '2026-04-01T00:00:00Z' });
  const args = ['import', 'allpv', '-', '--site', 'shop'];
  const { code, err } = await run(args, `${view}\n`, { clock });
  expect(code).toBe(0);
  expect(err).toMatch(/^([\d,]+ rows\n)+$/);
});

test('the message for a file without read permission explains the problem', () => {
  expect(cannotRead('a.yaml', Object.assign(new Error('EACCES: ...'), { code: 'EACCES' })).message).toBe(
    'a.yaml cannot be read: this account does not have permission to read it.',
  );
});

test.each([
  ['--version', /^1\.2\.3\n$/],
  ['--help', /Exit codes: 0 done/],
])('%s', async (flag, text) => {
  expect(await run([flag])).toMatchObject({ code: 0, out: expect.stringMatching(text), err: '' });
});

describe('extension commands', () => {
  const usage = {
    name: 'shout',
    summary: 'Shouts.',
    args: [{ name: 'file', about: 'what to shout' }],
    options: [
      { flags: '--format <format>', about: 'how', choices: ['loud', 'louder'] },
      { flags: '--twice', about: 'again' },
      {
        flags: '--times <n>',
        about: 'how often',
        fallback: '1',
        check: (text: string) => (/^\d+$/.test(text) ? undefined : 'a number is needed.'),
      },
    ],
  };
  const extension: Extension = {
    name: 'x',
    version: '1',
    description: 'X.',
    requires: { hostApi: 1 },
    commands: [usage],
    register: async () => undefined,
  };

  const shouting = (work: (input: CommandInput) => Promise<void>): Partial<CommandParts> => ({
    installed: [{ ...extension, register: async (host) => host.registerCommand({ ...usage, run: work }) }],
  });

  test('get their input and administrator rights', async () => {
    const parts = shouting(async ({ args: [file = ''], options, user, readText, out, err }) => {
      out(`${(await readText(file)).toUpperCase()} ${JSON.stringify(options)}`);
      err(`${user.role} ${user.sites}`);
    });
    expect(await run(['shout', '-', '--format', 'loud', '--twice'], 'hey', parts)).toEqual({
      code: 0,
      out: 'HEY {"times":"1","format":"loud","twice":true}',
      err: 'administrator all',
    });
  });

  test('print tables', async () => {
    const parts = shouting(async ({ table }) => table([['HEY', 'YOU'], ['ho']]));
    expect((await run(['shout', '-'], '', parts)).out).toBe('HEY  YOU\nho\n');
  });

  test('read files at once or in pieces', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'qal-test-'));
    await writeFile(join(directory, 'in.json'), '{"a":1}');
    const whole = shouting(async ({ args: [file = ''], readText, out }) => out(await readText(file)));
    const pieces = shouting(async ({ args: [file = ''], openFile, out }) => {
      const { stream, bytes } = await openFile(file);
      for await (const piece of stream) out(`${piece} of ${bytes}`);
    });
    expect((await run(['shout', join(directory, 'in.json')], '', whole)).out).toBe('{"a":1}');
    expect((await run(['shout', join(directory, 'in.json')], '', pieces)).out).toBe('{"a":1} of 7');
    expect((await run(['shout', '-'], 'hey', pieces)).out).toBe('hey of undefined');
    for (const parts of [whole, pieces])
      expect(await run(['shout', join(directory, 'none')], '', parts)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/none cannot be read: no such file\.\n$/),
      });
    await rm(directory, { recursive: true });
  });

  test.each([
    [1, new JobFailed('It failed.')],
    [2, new WrongUsage('It failed.')],
    [1, new Error('It failed.')],
  ])('end with exit code %i after %p', async (code, error) => {
    const parts = shouting(() => Promise.reject(error));
    expect(await run(['shout', '-'], '', parts)).toEqual({ code, out: '', err: 'It failed.\n' });
  });

  test('are listed in the help, with their choices', async () => {
    const parts = { installed: [extension] };
    expect((await run(['--help'], '', parts)).out).toMatch(/shout .*Shouts\./);
    expect(await run(['shout', '-', '--format', 'soft'], '', parts)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/loud, louder/),
    });
    expect(await run(['shout', '-', '--times', 'x'], '', parts)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/option '--times <n>' argument 'x' is invalid\. a number is needed\./),
    });
  });

  test('report that their extension is not running', async () => {
    expect(await run(['shout', '-'], '', { installed: [extension] })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /"shout" comes from the extension x, which is not running; .*extensions list/,
      ),
    });
  });

  describe('with two words form a group', () => {
    const usages = ['list', 'set'].map((word) => ({
      name: `toys ${word}`,
      summary: `Does ${word}.`,
      args: word === 'set' ? [{ name: 'state', about: 'which', choices: ['on', 'off'] }] : [],
      options: [],
    }));
    const toys: Extension = {
      ...extension,
      commands: usages,
      commandGroups: { toys: 'all about toys' },
      async register(host) {
        for (const one of usages)
          host.registerCommand({ ...one, run: async ({ args, out }) => out([one.name, ...args].join(' ')) });
      },
    };
    const parts = { installed: [toys] };

    test.each([[['toys', 'list']], [['toys', 'set', 'on']]])('%s', async (words) => {
      expect(await run(words, '', parts)).toEqual({ code: 0, out: words.join(' '), err: '' });
    });

    test('with a description, its commands and the choices for arguments', async () => {
      expect((await run(['--help'], '', parts)).out).toMatch(/toys +all about toys/);
      expect((await run(['toys', '--help'], '', parts)).out).toMatch(
        /list +Does list\.\n +set <state> +Does set\./,
      );
      expect(await run(['toys', 'set', 'maybe'], '', parts)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/Allowed choices are on, off/),
      });
      expect(await run(['toys', 'set'], '', parts)).toMatchObject({
        code: 2,
        err: expect.stringMatching(/missing required argument 'state'/),
      });
      expect(await run(['toys', 'play'], '', parts)).toMatchObject({ code: 2 });
    });
  });
});

test('an unexpected error is reported in one sentence; its stack trace is shown on request', async () => {
  const terminals: TestTerminal[] = [createTestTerminal(), createTestTerminal()];
  for (const [index, terminal] of terminals.entries()) {
    const code = await runProgram(['fail'], {
      terminal,
      version: '1',
      showStacks: () => index === 1,
      addCommands: (program) =>
        void program.command('fail').action(() => {
          throw new Error('The disk is full.');
        }),
    });
    expect(code).toBe(1);
  }
  expect(terminals[0]?.err()).toBe('The disk is full.\n');
  expect(terminals[1]?.err()).toMatch(/^Error: The disk is full\.\n\s+at /);
});

test('a lost connection is reported in one sentence, without the statement', async () => {
  const terminal = createTestTerminal();
  await runProgram(['fail'], {
    terminal,
    version: '1',
    showStacks: () => false,
    addCommands: (program) =>
      void program.command('fail').action(() => {
        throw Object.assign(new Error('select "name" from "host"."extension" - write EPIPE'), {
          code: 'EPIPE',
        });
      }),
  });
  expect(terminal.err()).toBe(
    'The connection to the database was lost before the command finished. Run it again.\n',
  );
});

test("a file or folder error is reported in one sentence, without the system's message", async () => {
  const terminal = createTestTerminal();
  await runProgram(['fail'], {
    terminal,
    version: '1',
    showStacks: () => false,
    addCommands: (program) =>
      void program.command('fail').action(() => {
        const path = '/away/backup.gz.3b241101-e2bb-4255-8caf-4136c566a962.part';
        const message = `ENOENT: no such file or directory, open '${path}'`;
        throw Object.assign(new Error(message), { code: 'ENOENT', path });
      }),
  });
  expect(terminal.err()).toBe('/away/backup.gz cannot be used: its folder does not exist.\n');
});
