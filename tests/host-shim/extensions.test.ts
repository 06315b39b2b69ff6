// The life cycle of extensions: order, dependencies, failures, activation, and which state survives a restart.
import { HOST_API, type Host, SettingError } from '../../host-shim/extension-api';
import { ExtensionFailed, ExtensionRefused } from '../../host-shim/extensions/extension-errors';
import type { Extensions } from '../../host-shim/extensions/extensions';
import { recordExtension } from '../../host-shim/extensions/recorded-extensions';
import { fail, NOW, presentExtensions, refusalOf, stateOf, useExtensions } from '../support/extension-bench';

const { database, extension, load, calls } = useExtensions();

describe('the first start', () => {
  test('activates all extensions, each after its dependencies', async () => {
    const needsBase = extension('second', { requires: { hostApi: HOST_API, extensions: ['base'] } });
    const { extensions } = await load([needsBase, extension('base'), extension('third')]);
    expect(await presentExtensions(extensions, ['base', 'second', 'third'])).toHaveLength(3);
    expect(calls.filter((line) => line.endsWith('register'))).toEqual([
      'base register',
      'second register',
      'third register',
    ]);
    expect((await extensions.list()).map(({ name, state, neededBy }) => [name, state, neededBy])).toEqual([
      ['second', 'active', []],
      ['base', 'active', ['second']],
      ['third', 'active', []],
    ]);
  });

  test('activates each extension once; a restart only registers it', async () => {
    await load([extension('base')]);
    calls.length = 0;
    const { extensions } = await load([extension('base')]);
    expect(calls).toEqual(['base register']);
    expect(await presentExtensions(extensions, ['base'])).toEqual(['base']);
  });

  test.each([
    ['while being activated', { activate: fail('no room') }],
    ['while being registered', { register: fail('no room') }],
    ['in rest_api_init', { register: (host: Host) => host.addAction('rest_api_init', fail('no room')) }],
    ['in admin_menu', { register: (host: Host) => host.addAction('admin_menu', fail('no room')) }],
  ])('stops if a required extension fails %s', async (_when, changes) => {
    const broken = extension('broken', { ...changes, required: true });
    const start = load([extension('base'), broken]);
    await expect(start).rejects.toThrow(ExtensionFailed);
    await expect(start).rejects.toThrow('The extension broken 1.0.0 could not start: no room');
  });

  test.each([
    ['while being activated', { activate: fail('no room') }],
    ['while being registered', { register: fail('no room') }],
    ['in rest_api_init', { register: (host: Host) => host.addAction('rest_api_init', fail('no room')) }],
    ['in admin_menu', { register: (host: Host) => host.addAction('admin_menu', fail('no room')) }],
  ])('continues if an optional extension fails %s', async (_when, changes) => {
    const { extensions, logged } = await load([extension('broken', changes), extension('base')]);
    expect(await presentExtensions(extensions, ['base', 'broken'])).toEqual(['base']);
    expect(await stateOf(extensions, 'broken')).toMatchObject({ state: 'inactive', failure: 'no room' });
    expect(logged).toContainEqual(
      expect.objectContaining({
        extension: 'broken',
        msg: 'The extension broken could not start and is not loaded.',
      }),
    );
  });

  test('an extension that fails is deactivated, and stays off until a user turns it on', async () => {
    await load([extension('late', { register: fail('not yet') })]);
    expect(calls).toEqual(['late activate', 'late register', 'late deactivate']);
    calls.length = 0;
    const { extensions } = await load([extension('late')]);
    expect(calls).toEqual([]);
    expect(await stateOf(extensions, 'late')).toMatchObject({ state: 'inactive', failure: null });
    await extensions.activate('late');
    expect(calls).toEqual(['late activate', 'late register']);
  });

  test('an extension whose activate callback fails is not activated again', async () => {
    const broken = () => extension('broken', { activate: fail('no room') });
    const { extensions } = await load([broken()]);
    expect(await stateOf(extensions, 'broken')).toMatchObject({ state: 'inactive', failure: 'no room' });
    const again = await load([broken()]);
    expect(await stateOf(again.extensions, 'broken')).toMatchObject({ state: 'inactive', failure: null });
  });

  test('records each extension as soon as it is activated', async () => {
    let states: unknown[] = [];
    const base = extension('base', {
      async register() {
        states = await database().write('host.extension').select('name', 'state');
      },
    });
    await load([base]);
    expect(states).toEqual([{ name: 'base', state: 'active' }]);
  });

  test.each([
    ['a required extension fails', fail('no room'), true],
    [
      'a setting is invalid',
      async () => {
        throw new SettingError('X must be 1.');
      },
      false,
    ],
  ])('that fails because %s undoes its activations', async (_why, register, required) => {
    const stopped = load([extension('base'), extension('broken', { register, required })]);
    await expect(stopped).rejects.toThrow();
    expect(calls.slice(-2)).toEqual(['broken deactivate', 'base deactivate']);
    expect(await database().write('host.extension').pluck('name')).toEqual([]);
    calls.length = 0;
    await load([extension('base'), extension('broken', { required })]);
    expect(calls.slice(0, 2)).toEqual(['base activate', 'broken activate']);
  });

  test.each([
    [['base', 'other', 'base'], 'There are two extensions named base.'],
    [
      ['Base'],
      'An extension cannot be called "Base": a name consists of lower-case letters, digits and single hyphens',
    ],
    [['a--b'], 'An extension cannot be called "a--b"'],
    [[''], 'An extension cannot be called ""'],
  ])('fails if the extensions are named %j', async (names, sentence) => {
    const start = load(names.map((name) => extension(name)));
    await expect(start).rejects.toThrow(ExtensionFailed);
    await expect(start).rejects.toThrow(sentence);
    expect(calls).toEqual([]);
  });
});

describe('a dependency of an extension', () => {
  test.each([
    [
      { hostApi: HOST_API + 1 },
      `it needs version ${HOST_API + 1} of the host API, but this is version ${HOST_API}`,
    ],
    [{ hostApi: HOST_API, extensions: ['nobody'] }, 'it needs nobody, which is not active'],
  ])('is checked before the extension is registered: %j', async (requires, reason) => {
    const { extensions } = await load([extension('picky', { requires })]);
    expect(await stateOf(extensions, 'picky')).toMatchObject({ failure: reason });
    expect(calls).toEqual([]);
    expect(await stateOf(extensions, 'picky')).toMatchObject({ state: 'inactive' });
  });

  test('that fails makes the extension fail too', async () => {
    const second = extension('second', { requires: { hostApi: HOST_API, extensions: ['base'] } });
    const { extensions } = await load([extension('base', { register: fail('broken') }), second]);
    expect(await presentExtensions(extensions, ['base', 'second'])).toEqual([]);
    expect(await stateOf(extensions, 'second')).toMatchObject({
      failure: 'it needs base, which is not active',
    });
  });

  test('may be circular: both extensions fail, and the start does not hang', async () => {
    const each = (name: string, needed: string) =>
      extension(name, { requires: { hostApi: HOST_API, extensions: [needed] } });
    const { extensions } = await load([each('one', 'two'), each('two', 'one')]);
    expect((await extensions.list()).map(({ failure }) => failure)).toEqual([
      'it needs two, which is not active',
      'it needs one, which is not active',
    ]);
  });
});

describe('a later start', () => {
  test('continues without a required extension that fails, which stays active', async () => {
    await load([extension('base', { required: true })]);
    const { extensions, logged } = await load([
      extension('base', { required: true, register: fail('no disk') }),
    ]);
    expect(await presentExtensions(extensions, ['base'])).toEqual([]);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'active', failure: 'no disk' });
    expect(logged.map(({ msg }) => msg)).toContain('The extension base could not start and is not loaded.');
  });

  test('activates a required extension that was recorded as off', async () => {
    await load([extension('base', { required: true })]);
    await database().write('host.extension').update({ state: 'inactive' });
    const { extensions } = await load([extension('base', { required: true })]);
    expect(await presentExtensions(extensions, ['base'])).toEqual(['base']);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'active', failure: null });
  });

  test.each(['deactivate', 'uninstall'] as const)(
    'a required extension cannot be stopped by %s',
    async (change) => {
      const { extensions } = await load([extension('base', { required: true })]);
      expect(await refusalOf(extensions[change]('base'))).toBe(
        'base cannot be turned off: this program needs it.',
      );
      expect(await presentExtensions(extensions, ['base'])).toEqual(['base']);
      expect(calls).toEqual(['base activate', 'base register']);
    },
  );

  test.each([false, true])('always fails if a setting is invalid (required: %p)', async (required) => {
    await load([extension('base', { required })]);
    const wrong = async () => {
      throw new SettingError('QAL_X must be 1.');
    };
    await expect(load([extension('base', { required, register: wrong })])).rejects.toThrow(
      new SettingError('QAL_X must be 1.'),
    );
  });

  test('records the new version of an extension', async () => {
    await load([extension('base')]);
    await load([extension('base', { version: '2.0.0' })]);
    expect(await database().write('host.extension').pluck('version')).toEqual(['2.0.0']);
  });
});

describe('turning off and on', () => {
  test('removes routes, pages, filters and commands immediately, and restores them', async () => {
    const usage = { name: 'wave', summary: 'waves', args: [], options: [] };
    const withCommand = extension('base', {
      register: (host) => host.registerCommand({ ...usage, run: async () => undefined }),
    });
    const { extensions } = await load([withCommand, extension('other')]);
    await extensions.deactivate('base');
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['other']);
    expect(extensions.current().commands).toEqual([]);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'inactive', failure: null });
    await extensions.activate('base');
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['base', 'other']);
    expect(extensions.current().commands.map(({ name }) => name)).toEqual(['wave']);
    expect(calls.filter((line) => /^base (de)?activate/.test(line))).toEqual([
      'base activate',
      'base deactivate',
      'base activate',
    ]);
  });

  test('survives a restart', async () => {
    const { extensions } = await load([extension('base'), extension('other')]);
    await extensions.deactivate('base');
    const again = await load([extension('base'), extension('other')]);
    expect(await presentExtensions(again.extensions, ['base', 'other'])).toEqual(['other']);
  });

  test('is rejected without any change if another extension depends on this one', async () => {
    const second = extension('second', { requires: { hostApi: HOST_API, extensions: ['base'] } });
    const { extensions } = await load([extension('base'), second]);
    expect(await refusalOf(extensions.deactivate('base'))).toBe(
      'second could not run: it needs base, which is not active.',
    );
    expect(await presentExtensions(extensions, ['base', 'second'])).toEqual(['base', 'second']);
    expect(calls).not.toContain('base deactivate');
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'active' });
  });

  test('is rejected, without calling activate, if a dependency is off', async () => {
    const second = extension('second', { requires: { hostApi: HOST_API, extensions: ['base'] } });
    const { extensions } = await load([extension('base'), second]);
    await extensions.deactivate('second');
    await extensions.deactivate('base');
    calls.length = 0;
    expect(await refusalOf(extensions.activate('second'))).toBe(
      'second cannot be turned on: it needs base, which is not active.',
    );
    expect(calls).toEqual([]);
  });

  test.each([
    ['its own callback fails', { activate: fail('no room') }, 'base could not be turned on: no room.'],
    ['it cannot be registered', { register: fail('no room') }, 'base could not run: no room.'],
    [
      'a setting is invalid',
      {
        register: async () => {
          throw new SettingError('X must be 1.');
        },
      },
      'base cannot run: X must be 1.',
    ],
  ])('is rejected if %s, and the extension stays off', async (_why, changes, message) => {
    await recordExtension(database().write, { name: 'base', state: 'inactive', version: '1' }, NOW);
    const { extensions } = await load([extension('base', changes), extension('other')]);
    expect(await refusalOf(extensions.activate('base'))).toBe(message);
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['other']);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'inactive' });
  });

  test('an extension that cannot be registered is deactivated again', async () => {
    await recordExtension(database().write, { name: 'base', state: 'inactive', version: '1' }, NOW);
    const { extensions } = await load([extension('base', { register: fail('no room') })]);
    await expect(extensions.activate('base')).rejects.toThrow(ExtensionRefused);
    expect(calls).toEqual(['base activate', 'base register', 'base deactivate']);
  });

  test('an active extension that has failed can be retried', async () => {
    await load([extension('base')]);
    let broken = true;
    const { extensions } = await load([
      extension('base', {
        register: () => {
          if (broken) throw new Error('no network');
        },
      }),
    ]);
    expect(await refusalOf(extensions.activate('base'))).toBe('base could not run: no network.');
    broken = false;
    await extensions.activate('base');
    expect(await presentExtensions(extensions, ['base'])).toEqual(['base']);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'active', failure: null });
  });

  test('changing to the current state has no effect', async () => {
    const { extensions } = await load([extension('base')]);
    calls.length = 0;
    await extensions.activate('base');
    expect(calls).toEqual([]);
    await extensions.deactivate('base');
    await extensions.uninstall('base');
    calls.length = 0;
    await extensions.deactivate('base');
    await extensions.uninstall('base');
    expect(calls).toEqual([]);
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'uninstalled' });
  });

  test('an extension is off even if its deactivate callback fails', async () => {
    const { extensions, logged } = await load([extension('base', { deactivate: fail('stuck') })]);
    await extensions.deactivate('base');
    expect(await presentExtensions(extensions, ['base'])).toEqual([]);
    expect(String(logged.map(({ msg }) => msg))).toContain('base failed while it was being turned off.');
  });

  test('concurrent changes are made one after the other', async () => {
    const { extensions } = await load([extension('one'), extension('two')]);
    await Promise.all([extensions.deactivate('one'), extensions.deactivate('two')]);
    expect(await presentExtensions(extensions, ['one', 'two'])).toEqual([]);
    await Promise.all([extensions.activate('one'), extensions.activate('two')]);
    expect(await presentExtensions(extensions, ['one', 'two'])).toEqual(['one', 'two']);
    await Promise.allSettled([extensions.activate('nobody'), extensions.deactivate('two')]);
    expect(await presentExtensions(extensions, ['one', 'two'])).toEqual(['one']);
  });

  test('an unknown name is rejected', async () => {
    const { extensions } = await load([extension('base')]);
    for (const change of [extensions.activate, extensions.deactivate, extensions.uninstall])
      expect(await refusalOf(change('nobody'))).toBe('There is no extension nobody.');
  });
});

describe('uninstalling', () => {
  test('requires the extension to be off, and the next start ignores it', async () => {
    const { extensions } = await load([extension('base')]);
    expect(await refusalOf(extensions.uninstall('base'))).toBe('base is active; turn it off first.');
    await extensions.deactivate('base');
    await extensions.uninstall('base');
    expect(calls.slice(-2)).toEqual(['base deactivate', 'base uninstall']);
    calls.length = 0;
    const again = await load([extension('base')]);
    expect(calls).toEqual([]);
    expect(await stateOf(again.extensions, 'base')).toMatchObject({ state: 'uninstalled' });
  });

  test('can be retried if it fails', async () => {
    const { extensions } = await load([extension('base', { uninstall: fail('locked') })]);
    await extensions.deactivate('base');
    expect(await refusalOf(extensions.uninstall('base'))).toBe('base could not be uninstalled: locked.');
    expect(await stateOf(extensions, 'base')).toMatchObject({ state: 'inactive' });
  });
});

describe('an extension that is no longer installed', () => {
  test('is reported and can be turned off, but cannot be uninstalled without its code', async () => {
    await load([extension('base'), extension('gone', { version: '3' })]);
    const { extensions, logged } = await load([extension('base')]);
    expect(logged.map(({ msg }) => msg)).toContain(
      'The extension gone is active but not part of this program.',
    );
    expect(await stateOf(extensions, 'gone')).toMatchObject({
      installed: false,
      state: 'active',
      version: '3',
    });
    await extensions.deactivate('gone');
    expect(await stateOf(extensions, 'gone')).toMatchObject({ state: 'inactive', version: '3' });
    expect(await refusalOf(extensions.activate('gone'))).toMatch('no longer part of this program');
    expect(await refusalOf(extensions.uninstall('gone'))).toMatch('Install it again to uninstall it.');
  });
});

describe('hooks', () => {
  const site = (trackingId: string) => ({ trackingId, name: '', domain: '', timezone: 'UTC' });
  const knownTo = async ({ current }: Extensions) =>
    (await current().hooks.applyFilters('known_sites', [site('first')], undefined)).map(
      ({ trackingId }) => trackingId,
    );
  const adds =
    (trackingId: string, priority?: number) =>
    (host: Host): void =>
      host.addFilter('known_sites', (sites) => [...sites, site(trackingId)], priority);

  test('are called by priority, then in the order of registration', async () => {
    const { extensions } = await load([
      extension('late', { register: adds('late', 20) }),
      extension('usual', { register: adds('usual') }),
      extension('early', { register: adds('early', 1) }),
      extension('same', { register: adds('same') }),
    ]);
    expect(await knownTo(extensions)).toEqual(['first', 'early', 'usual', 'same', 'late']);
  });

  test('that fail are logged and skipped', async () => {
    const { extensions, logged } = await load([
      extension('usual', { register: adds('usual') }),
      extension('broken', {
        register(host) {
          host.addFilter('known_sites', fail('no table'));
          host.addAction('user_logged_in', fail('no mail'), 1);
        },
      }),
      extension('last', {
        register(host) {
          adds('last')(host);
          host.addAction('user_logged_in', ({ userId }) => void calls.push(`login of ${userId}`));
        },
      }),
    ]);
    expect(await knownTo(extensions)).toEqual(['first', 'usual', 'last']);
    await extensions.current().hooks.doAction('user_logged_in', { userId: 7 });
    expect(calls).toContain('login of 7');
    expect(logged.filter(({ extension: name }) => name === 'broken').map(({ msg }) => msg)).toEqual([
      'The extension broken failed in a hook.',
      'The extension broken failed in a hook.',
    ]);
  });

  test('an extension is not loaded if its page or route already exists', async () => {
    const thief = extension('thief', {
      register: (host) =>
        host.addAction('admin_menu', ({ registerPage }) =>
          registerPage({
            slug: 'base',
            title: 'Mine',
            group: null,
            position: 1,
            capability: 'read',
            handle: async () => ({ kind: 'redirect', to: '/' }),
          }),
        ),
    });
    const { extensions } = await load([extension('base'), thief]);
    expect(await presentExtensions(extensions, ['base', 'thief'])).toEqual(['base']);
    expect(await stateOf(extensions, 'thief')).toMatchObject({
      failure: 'The page base is registered twice.',
    });
  });
});

describe('changes by another process', () => {
  /** Two processes of one installation. */
  async function loadTwice(...names: readonly string[]) {
    const here = await load(names.map((name) => extension(name)));
    const elsewhere = await load(names.map((name) => extension(name)));
    calls.length = 0;
    return { ...here, elsewhere: elsewhere.extensions };
  }

  test('take effect here: each process calls deactivate, but only one calls activate', async () => {
    const { extensions, elsewhere } = await loadTwice('base', 'other');
    await elsewhere.deactivate('base');
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['base', 'other']);
    await extensions.follow();
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['other']);
    expect(calls.filter((line) => line === 'base deactivate')).toHaveLength(2);
    await elsewhere.activate('base');
    await extensions.follow();
    expect(await presentExtensions(extensions, ['base', 'other'])).toEqual(['base', 'other']);
    expect(calls.filter((line) => line === 'base activate')).toHaveLength(1);
  });

  test('take effect here even after a change in this process', async () => {
    const { extensions, elsewhere } = await loadTwice('one', 'two');
    await elsewhere.deactivate('one');
    await extensions.deactivate('two');
    await extensions.follow();
    await elsewhere.activate('two');
    await extensions.follow();
    expect(await presentExtensions(extensions, ['one', 'two'])).toEqual(['two']);
    expect(calls.filter((line) => line === 'one deactivate')).toHaveLength(2);
  });

  test('cause no work if there are none, even after a failure', async () => {
    const { extensions, elsewhere } = await loadTwice('base');
    await elsewhere.deactivate('base');
    const broken = await load([extension('base', { register: fail('no disk') })]);
    await elsewhere.activate('base');
    await broken.extensions.follow();
    expect(await stateOf(broken.extensions, 'base')).toMatchObject({ state: 'active', failure: 'no disk' });
    expect(broken.logged.map(({ msg }) => msg)).toEqual([
      'The extension base could not start and is not loaded.',
    ]);
    await extensions.follow();
    calls.length = 0;
    await Promise.all([broken.extensions.follow(), extensions.follow()]);
    expect(calls).toEqual([]);
  });
});
