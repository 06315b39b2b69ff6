// What a start does with each extension: those of the program and what is recorded in -> whom to turn on, register, refuse.
// It only decides; start-extensions.ts does it.
import { type Extension, HOST_API } from '../extension-api';
import type { RecordedExtension } from './extension-states';

export interface Decision {
  /** Never seen here: turned on once, before they are registered. */
  readonly activate: readonly Extension[];
  /** On, or to be turned on; each after those that it needs. */
  readonly register: readonly Extension[];
  /** On or never seen, and unable to run beside the others -> why. */
  readonly refuse: ReadonlyMap<string, string>;
}

/** Why an extension cannot run beside these. */
export function missingNeed(
  { requires }: Extension,
  others: { has(name: string): boolean },
): string | undefined {
  if (requires.hostApi !== HOST_API)
    return `it was written for version ${requires.hostApi} of the host's interface, and this is version ${HOST_API}`;
  const missing = (requires.extensions ?? []).filter((name) => !others.has(name));
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}, which is not active`;
}

/** Each after those that it needs, otherwise as they are listed. Those that need each other come last. */
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
): Decision {
  const stateOf = ({ name }: Extension) => recorded.get(name)?.state;
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
  return { activate: register.filter((one) => stateOf(one) === undefined), register, refuse };
}

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** What is wrong with the names of the program's extensions, as a sentence. They are keys and parts of addresses. */
export function nameFault(installed: readonly Extension[]): string | undefined {
  const names = installed.map(({ name }) => name);
  const odd = names.find((name) => !NAME.test(name));
  if (odd !== undefined)
    return `An extension cannot be called ${JSON.stringify(odd)}: its name is small letters, digits and single hyphens, as in qal-analytics.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `There are two extensions of the name ${twice}.`;
}
