import { type Extension, HOST_API } from '../extension-api';
import type { RecordedExtension } from './recorded-extensions';

/** Why an extension cannot run alongside these active extensions. */
export function missingNeed(
  { requires }: Extension,
  others: { has(name: string): boolean },
): string | undefined {
  if (requires.hostApi !== HOST_API)
    return `it needs version ${requires.hostApi} of the host API, and this is version ${HOST_API}`;
  const missing = (requires.extensions ?? []).filter((name) => !others.has(name));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}, which is not active`;
}

/** Each extension comes after those that it needs; otherwise, they stay in the given order. Circular ones come last. */
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
    /** New extensions, and required ones that are recorded as off. */
    activate: register.filter((one) => stateOf(one) === undefined),
    register,
    refuse,
  };
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What is wrong with the extensions' names, which are keys and parts of addresses. */
export function nameFault(installed: readonly Extension[]): string | undefined {
  const names = installed.map(({ name }) => name);
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined)
    return `An extension cannot be called ${JSON.stringify(odd)}: a name consists of lower-case letters, digits and single hyphens, such as my-extension.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `There are two extensions named ${twice}.`;
}
