// Extensions that fail are listed until the problem is fixed. An extension that hangs does not block others.
import { HOST_API, type Host } from '../../host-shim/extension-api';
import { ExtensionRefused } from '../../host-shim/extensions/extension-errors';
import { recordExtension } from '../../host-shim/extensions/recorded-extensions';
import { fail, NOW, presentExtensions, refusalOf, stateOf, useExtensions } from '../support/extension-bench';

const { database, extension, load, calls } = useExtensions();

test('an extension that depends on a failed one is deactivated first', async () => {
  const leaning = extension('leaning', { requires: { hostApi: HOST_API, extensions: ['base'] } });
  const { extensions } = await load([extension('base', { register: fail('no disk') }), leaning]);
  expect(calls.filter((line) => line.includes('activate'))).toEqual([
    'base activate',
    'leaning activate',
    'leaning deactivate',
    'base deactivate',
  ]);
  for (const name of ['base', 'leaning'])
    expect(await stateOf(extensions, name)).toMatchObject({ state: 'inactive' });
});

describe('a failure is listed until it is resolved', () => {
  const broken = () => extension('broken', { register: fail('no disk') });

  test('an active extension that has failed can be turned off, and the next start ignores it', async () => {
    await load([extension('broken')]);
    const { extensions } = await load([broken()]);
    expect(await stateOf(extensions, 'broken')).toMatchObject({ state: 'active', failure: 'no disk' });
    await extensions.deactivate('broken');
    expect(await stateOf(extensions, 'broken')).toMatchObject({ state: 'inactive', failure: null });
    calls.length = 0;
    await load([broken()]);
    expect(calls).toEqual([]);
  });

  test.each(['deactivate', 'uninstall'] as const)(
    '%s clears the failure of an extension that failed on its first start',
    async (change) => {
      const { extensions } = await load([broken()]);
      expect(await stateOf(extensions, 'broken')).toMatchObject({ state: 'inactive', failure: 'no disk' });
      await extensions[change]('broken');
      expect(await stateOf(extensions, 'broken')).toMatchObject({ failure: null });
    },
  );

  test('is still listed after another extension is turned on or off', async () => {
    const { extensions } = await load([broken(), extension('other')]);
    await extensions.deactivate('other');
    expect(await stateOf(extensions, 'broken')).toMatchObject({ failure: 'no disk' });
  });

  test('retrying does not activate an active extension again', async () => {
    await load([extension('base')]);
    const { extensions } = await load([extension('base', { register: fail('no network') })]);
    calls.length = 0;
    await expect(extensions.activate('base')).rejects.toThrow(ExtensionRefused);
    expect(calls).toEqual(['base register']);
  });
});

describe('an extension that hangs is treated as failed and does not block others', () => {
  const forever = () => new Promise<never>(() => undefined);
  const LATE = 'it had not finished after 0.05 s';

  test.each([
    ['activate', { activate: forever }],
    ['register', { register: forever }],
    ['rest_api_init', { register: (host: Host) => host.addAction('rest_api_init', forever) }],
  ])('at startup, in %s', async (_where, changes) => {
    const { extensions } = await load([extension('slow', changes), extension('other')], 50);
    expect(await presentExtensions(extensions, ['slow', 'other'])).toEqual(['other']);
    expect(await stateOf(extensions, 'slow')).toMatchObject({ state: 'inactive', failure: LATE });
  });

  test('in activate, deactivate, uninstall and settle', async () => {
    await recordExtension(database().write, { name: 'slow', state: 'inactive', version: '1.0.0' }, NOW);
    const slow = extension('slow', { activate: forever, uninstall: forever });
    const stuck = extension('stuck', {
      deactivate: forever,
      register: (host) => host.addAction('settle', forever),
    });
    const { extensions, logged } = await load([slow, stuck], 50);
    const [on, uninstalled, off] = [
      refusalOf(extensions.activate('slow')),
      refusalOf(extensions.uninstall('slow')),
      extensions.deactivate('stuck'),
    ];
    expect(await on).toBe(`slow could not be turned on: ${LATE}.`);
    expect(await uninstalled).toBe(`slow could not be uninstalled: ${LATE}.`);
    await off;
    expect(await stateOf(extensions, 'stuck')).toMatchObject({ state: 'inactive' });
    expect(logged.map(({ msg }) => msg)).toEqual([
      `Could not wait for the background work of an extension: ${LATE}.`,
      'The extension stuck failed while it was being turned off.',
    ]);
  });
});
