// Schemas of lists and objects of any size that stop checking once there are more faults than are listed.
import type { z } from 'zod';
import { MOST_FAULTS } from '../errors/query-error';

/** The state of one parse. */
interface Found {
  faults: number;
  /** Whether a member of the innermost collection is faulty. */
  isFaulty: boolean;
}

/** By the context that zod passes to every schema of a parse. */
const parses = new WeakMap<object, Found>();

function foundIn(context: object): Found {
  const known = parses.get(context);
  if (known !== undefined) return known;
  const found: Found = { faults: 0, isFaulty: false };
  parses.set(context, found);
  return found;
}

/** A list, or an object with keys of any name. Changes `node`, which must not be shared. */
export function collection<Node extends z.ZodType>(node: Node): Node {
  const { run } = node._zod;
  node._zod.run = (payload, context) => {
    const found = foundIn(context);
    const around = found.isFaulty;
    found.isFaulty = false;
    const checked = run(payload, context);
    found.isFaulty = around;
    return checked;
  };
  return node;
}

/**
 * A member of a collection. It is not checked if another is faulty and there are more faults than are listed, since the
 * collection is refused anyway.
 */
export function member<Node extends z.ZodType>(node: Node): Node {
  const { run } = node._zod;
  node._zod.run = (payload, context) => {
    const found = foundIn(context);
    const { faults } = found;
    if (found.isFaulty && faults > MOST_FAULTS) return payload;
    const checked = run(payload, context);
    if (checked instanceof Promise) return checked;
    // Faults in the other branches of a union do not count.
    found.faults = faults + checked.issues.length;
    found.isFaulty ||= checked.issues.length > 0;
    return checked;
  };
  return node;
}
