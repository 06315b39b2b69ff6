// The decision about each extension at startup, based on the installed and recorded extensions.
import { type Extension, HOST_API } from '../../host-shim/extension-api';
import { decide } from '../../host-shim/extensions/decide';
import type { ExtensionState } from '../../host-shim/extensions/recorded-extensions';

const extension = (name: string, needs: readonly string[] = [], hostApi = HOST_API): Extension => ({
  name,
  version: '1',
  description: '',
  requires: { hostApi, extensions: needs },
  commands: [],
  register: async () => undefined,
});

const namesOf = (extensions: readonly Extension[]) => extensions.map(({ name }) => name);

test.each<
  [string, readonly Extension[], Readonly<Record<string, ExtensionState>>, string[], string[], string[]]
>([
  ['a new extension', [extension('a')], {}, ['a'], ['a'], []],
  ['an active extension', [extension('a')], { a: 'active' }, [], ['a'], []],
  ['an inactive extension', [extension('a')], { a: 'inactive' }, [], [], []],
  ['an uninstalled extension', [extension('a')], { a: 'uninstalled' }, [], [], []],
  [
    'an inactive required extension',
    [{ ...extension('a'), required: true }],
    { a: 'inactive' },
    ['a'],
    ['a'],
    [],
  ],
  [
    'an extension listed before its dependency',
    [extension('b', ['a']), extension('a')],
    {},
    ['a', 'b'],
    ['a', 'b'],
    [],
  ],
  ['a dependency that is off', [extension('a'), extension('b', ['a'])], { a: 'inactive' }, [], [], ['b']],
  [
    'an indirect dependency that is missing',
    [extension('c', ['b']), extension('b', ['a'])],
    { b: 'active' },
    [],
    [],
    ['b', 'c'],
  ],
  ['a different host API', [extension('a', [], HOST_API + 1), extension('b')], {}, ['b'], ['b'], ['a']],
])('%s', (_what, installed, states, activate, register, refuse) => {
  const recorded = new Map(Object.entries(states).map(([name, state]) => [name, { state }]));
  const decision = decide(installed, recorded);
  expect(namesOf(decision.activate)).toEqual(activate);
  expect(namesOf(decision.register)).toEqual(register);
  expect([...decision.refuse.keys()]).toEqual(refuse);
});
