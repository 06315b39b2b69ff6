// Lists and objects may be of any size, so their members are no longer checked once there are more errors than a check reports.
import { z } from 'zod';
import { MAX_FAULTS } from '../errors/query-error';
import type { fault } from './schema-fault';

/** The state of one parse. */
interface Found {
  faults: number;
  /** Whether the innermost collection has a faulty member. */
  isFaulty: boolean;
}

/** zod passes the same context to every schema of a parse. */
const parses = new WeakMap<object, Found>();

function foundIn(context: object): Found {
  const known = parses.get(context);
  if (known !== undefined) return known;
  const found: Found = { faults: 0, isFaulty: false };
  parses.set(context, found);
  return found;
}

/** The schema of a list or object. Changes `node`, which must not be shared or refined afterwards. */
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

/** A member of a collection. It is not checked if the other members already have too many errors. */
export function member<Node extends z.ZodType>(node: Node): Node {
  const { run } = node._zod;
  node._zod.run = (payload, context) => {
    const found = foundIn(context);
    const { faults } = found;
    if (found.isFaulty && faults > MAX_FAULTS) return payload;
    const checked = run(payload, context);
    if (checked instanceof Promise) return checked;
    // Does not count errors in other branches of a union.
    found.faults = faults + checked.issues.length;
    found.isFaulty ||= checked.issues.length > 0;
    return checked;
  };
  return node;
}

/** A list of any size. */
export const listOf = <Item extends z.ZodType>(
  item: Item,
  faults: ReturnType<typeof fault>,
  refine = (list: z.ZodArray<Item>): z.ZodArray<Item> => list,
) => collection(refine(z.array(member(item), faults)));
