// A contract with features switched off: what changes, and when the same object is returned.
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { withSwitches } from '../../../extension/api/contracts/with-switches';
import { isEnabled } from '../../../extension/language/types/contract';
import { loadManifest } from '../../../manifests/reader/manifest';

const contracts = installedContracts(loadManifest());
const [head = never()] = contracts.slice(-1);

function never(): never {
  throw new Error('No contract is installed.');
}

const off = (...names: readonly string[]) => withSwitches(head, new Set(names));

test('switched-off features are disabled, and everything else is unchanged', () => {
  const switched = off('filter', 'calc');
  const changed = [...head.rules.features.keys()].filter(
    (name) => isEnabled(head, name) !== isEnabled(switched, name),
  );
  expect(changed.sort()).toEqual(['calc', 'filter']);
  expect([...switched.rules.features.keys()]).toEqual([...head.rules.features.keys()]);
  const { features: _of, ...rules } = switched.rules;
  expect(head.rules).toMatchObject(rules);
  expect(switched.format).toBe(head.format);
});

test('the contract itself is not changed', () => {
  off('filter');
  expect(isEnabled(head, 'filter')).toBe(true);
});

test('the result is the contract itself if no enabled feature is switched off', () => {
  expect(off()).toBe(head);
  expect(off('sample', 'flying')).toBe(head);
});

test('the same object is returned while the switches stay the same, regardless of their order and of unrelated switches', () => {
  expect(off('calc', 'filter')).toBe(off('filter', 'calc'));
  expect(off('calc')).toBe(off('calc', 'sample', 'flying'));
  expect(off('calc')).not.toBe(off('filter'));
});

test('a different set of switches returns a different object, even if the first set was restored in between', () => {
  for (const names of [['filter'], ['sort'], ['filter'], ['filter', 'sort']]) {
    const switched = off(...names);
    expect(['filter', 'sort'].filter((name) => !isEnabled(switched, name))).toEqual(names);
  }
});
