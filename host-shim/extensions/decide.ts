import { type Extension, HOST_API } from '../extension-api';
import type { RecordedExtension } from './recorded-extensions';

/** Returns why an extension cannot run alongside `others`, the active extensions; undefined if it can. */
export function missingNeed(
  { requires }: Extension,
  others: { has(name: string): boolean },
): string | undefined {
  if (requires.hostApi !== HOST_API)
    return `it needs version ${requires.hostApi} of the host API, but this is version ${HOST_API}`;
  const missing = (requires.extensions ?? []).filter((name) => !others.has(name));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}, which is not active`;
}

/** Sorts each extension after those that it needs; otherwise keeps the given order. Extensions in a cycle come last. */
export function inOrder(extensions: readonly Extension[]): readonly Extension[] {
  const ordered: Extension[] = [];
  let left = extensions;
  for (;;) {
    const next = left.find(
      ({ requires }) =>
        !(requires.extensions ?? []).some((needed) => left.some((other) => other.name === needed)),
    );
    if (next === undefined) return [...ordered, ...left];
    ordered.push(next);
    left = left.filter((other) => other !== next);
  }
}

export function decide(
  installed: readonly Extension[],
  recorded: ReadonlyMap<string, Pick<RecordedExtension, 'state'>>,
) {
  const stateOf = ({ name, required }: Extension) => {
    const state = recorded.get(name)?.state;
    return required === true && state !== 'active' ? undefined : state;
  };
  const register: Extension[] = [];
  const refuse = new Map<string, string>();
  const names = new Set<string>();
  for (const extension of inOrder(installed.filter((one) => (stateOf(one) ?? 'active') === 'active'))) {
    const need = missingNeed(extension, names);
    if (need === undefined) {
      register.push(extension);
      names.add(extension.name);
    } else {
      refuse.set(extension.name, need);
    }
  }
  return {
    /** New extensions, and required ones that are recorded as inactive or uninstalled. */
    activate: register.filter((one) => stateOf(one) === undefined),
    register,
    refuse,
  };
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Returns what is wrong with the extensions' names, which are used as keys and in addresses; undefined if all are valid. */
export function nameFault(installed: readonly Extension[]): string | undefined {
  const names = installed.map(({ name }) => name);
  const invalid = names.find((name) => !NAME.test(name));
  if (invalid !== undefined)
    return `An extension cannot be called ${JSON.stringify(invalid)}: a name consists of lower-case letters, digits and single hyphens, such as my-extension.`;
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  return duplicate === undefined ? undefined : `There are two extensions named ${duplicate}.`;
}
