// Attaches faults to schemas, and defines the schemas of single values.
import { z } from 'zod';
import type { Fault } from '../errors/fault';
import { isJsonScalar, type JsonValue } from '../types/json';

interface Faults {
  readonly wrong: Fault;
  readonly missing?: Fault;
  /** For an object: the fault of an unknown key or a forbidden name. */
  readonly key?: Fault;
}

/** The fault of a place, which zod carries as the message of its issue. */
export const fault = (wrong: Fault, { missing = wrong, key = wrong }: Omit<Faults, 'wrong'> = {}) => ({
  error: ({ code, input }: { readonly code: string; readonly input?: unknown }): Fault => {
    if (code === 'unrecognized_keys' || code === 'invalid_key') return key;
    return input === undefined ? missing : wrong;
  },
});

const hasLength = ({ value }: { readonly value: unknown }): boolean =>
  typeof value === 'string' || Array.isArray(value);

/** The same for limits on the length of a text or list. Without it, zod measures any object with a key `length`. */
export const lengthFault = (wrong: Fault) => ({ ...fault(wrong), when: hasLength });

export const SCALARS = [z.string(), z.number(), z.boolean()] as const;
export const scalar = (wrong: Fault) => byType(z.union([...SCALARS, z.null()], fault(wrong)), isJsonScalar);
export const scalarNotNull = (wrong: Fault) =>
  byType(z.union(SCALARS, fault(wrong)), (value) => value !== null && isJsonScalar(value));

/** Checks the type only: a union tries its schemas one by one and keeps the faults of each. */
function byType<Node extends z.ZodUnion>(node: Node, fits: (value: JsonValue) => boolean): Node {
  node._zod.run = (payload) => {
    const { value } = payload;
    if (value === undefined || !fits(value as JsonValue))
      payload.issues.push({ code: 'invalid_union', errors: [], input: value, inst: node });
    return payload;
  };
  return node;
}
