import { z } from 'zod';
import type { Fault } from '../errors/fault';
import { isJsonScalar, type JsonValue } from '../types/json';

interface Faults {
  readonly wrong: Fault;
  readonly missing?: Fault;
  /** The fault for an unknown key or an invalid name. */
  readonly key?: Fault;
}

/** The fault for a position, passed as the message of zod's issue. */
export const fault = (wrong: Fault, { missing = wrong, key = wrong }: Omit<Faults, 'wrong'> = {}) => ({
  error: ({ code, input }: { readonly code: string; readonly input?: unknown }): Fault => {
    if (code === 'unrecognized_keys' || code === 'invalid_key') return key;
    return input === undefined ? missing : wrong;
  },
});

const hasLength = ({ value }: { readonly value: unknown }): boolean =>
  typeof value === 'string' || Array.isArray(value);

/** The fault for strings and lists of the wrong length. Without `when`, zod would also check objects with a `length` key. */
export const lengthFault = (wrong: Fault) => ({ ...fault(wrong), when: hasLength });

export const SCALARS = [z.string(), z.number(), z.boolean()] as const;
export const scalar = (wrong: Fault) => byType(z.union([...SCALARS, z.null()], fault(wrong)), isJsonScalar);
export const scalarNotNull = (wrong: Fault) =>
  byType(z.union(SCALARS, fault(wrong)), (value) => value !== null && isJsonScalar(value));

/** Checks only the type. A plain union would try each of its schemas and keep all of their errors. */
function byType<Node extends z.ZodUnion>(node: Node, fits: (value: JsonValue) => boolean): Node {
  node._zod.run = (payload) => {
    const { value } = payload;
    if (value === undefined || !fits(value as JsonValue))
      payload.issues.push({ code: 'invalid_union', errors: [], input: value, inst: node });
    return payload;
  };
  return node;
}
