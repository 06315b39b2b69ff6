import type { PassTrace } from '../language/plan/pass';
import { type PlanOptions, planTraced } from '../language/plan/plan-query';
import type { Steps } from '../language/types/steps';
import { inTurns } from './in-turns';
import type { prepareQuery } from './run-query';

type Prepared = Awaited<ReturnType<typeof prepareQuery>>;

export function explained({ requested, resolved, plan, sql }: Prepared) {
  const { views, use, ...rest } = resolved;
  return {
    stages: { requested, resolved: { ...rest, use: use.name, views }, plan },
    range: resolved.range,
    views: views.filter((view) => view.range !== resolved.range),
    plan,
    sql,
  };
}

/** Plans the query again, and returns what each pass did, with a reason for each pass that did nothing. */
export async function explainedPasses(
  { resolved }: Prepared,
  options: PlanOptions,
): Promise<readonly PassTrace[]> {
  const { passes } = await inTurns(planTraced(resolved, options));
  return passes.map((pass) =>
    pass.did === 'nothing' && pass.because.length === 0
      ? { ...pass, because: ['It changes nothing here.'] }
      : pass,
  );
}

/** A value to write, and the text before it. For the value NOTHING, only the text is written. */
interface Waiting {
  readonly before: string;
  readonly value: unknown;
}

const NOTHING = Symbol('nothing');
const PIECE_CHARACTERS = 16 * 1024;

/** The output of JSON.stringify for plain data, in pieces, without the members named in `leftOut`. */
export function* jsonInSteps(
  root: unknown,
  leftOut: ReadonlySet<string> = new Set(),
): Steps<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  /** The last entry is written next. */
  const waiting: Waiting[] = [{ before: '', value: root }];
  let text = '';
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { before, value } = next;
    text += before;
    if (typeof value === 'object' && value !== null)
      for (const part of partsOf(value, leftOut).reverse()) waiting.push(part);
    else if (value !== NOTHING) text += JSON.stringify(value) ?? 'null';
    if (text.length < PIECE_CHARACTERS) continue;
    pieces.push(Buffer.from(text));
    text = '';
    yield;
  }
  return [...pieces, Buffer.from(text)];
}

function partsOf(value: object, leftOut: ReadonlySet<string>): Waiting[] {
  if (Array.isArray(value)) {
    const items = value.map(
      (item: unknown, index): Waiting => ({ before: index === 0 ? '[' : ',', value: item }),
    );
    return [...items, { before: items.length === 0 ? '[]' : ']', value: NOTHING }];
  }
  const members = Object.entries(value)
    .filter(([key, member]) => member !== undefined && !leftOut.has(key))
    .map(
      ([key, member], index): Waiting => ({
        before: `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`,
        value: member,
      }),
    );
  return [...members, { before: members.length === 0 ? '{}' : '}', value: NOTHING }];
}
