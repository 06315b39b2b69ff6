// Owns the part of the error table about `join`.
import { entry, type Received } from './error-entry';
import { didYouMean, list, quote } from './wording';

/** One side of a pair, or a reference that the two sides do not agree on. */
export interface Side {
  readonly side: 'left' | 'right';
  readonly received: string;
  /** Without the dot. */
  readonly expectedPrefix: string;
}

type JoinProblem =
  | ({ readonly problem: 'shape' } & Received)
  | { readonly problem: 'several' }
  | ({ readonly problem: 'mode' | 'with-shape' | 'on' | 'reference' | 'fill-shape' } & Received)
  | {
      readonly problem: 'with';
      readonly received: string;
      readonly sources: readonly string[];
      readonly nearest?: string | undefined;
      /** Whether it only has to be listed in `materials`. */
      readonly unlisted: boolean;
    }
  | { readonly problem: 'itself'; readonly received: string }
  | ({ readonly problem: 'prefix'; readonly column: string } & Side)
  | ({ readonly problem: 'key'; readonly keys: readonly string[] } & Side)
  | ({ readonly problem: 'not-kept'; readonly view: string; readonly column: string } & Side)
  | ({ readonly problem: 'unequal'; readonly other: string } & Side)
  | { readonly problem: 'collision'; readonly name: string; readonly entries: readonly string[] }
  | {
      readonly problem: 'ambiguous';
      readonly received: string;
      readonly ofFrom: string;
      readonly joined: string;
    }
  | {
      readonly problem: 'fill';
      readonly received: unknown;
      readonly column: string;
      readonly type: string;
      readonly expected: string;
    };

/** What the specification wants to be told of a pair that is out of scope. */
const details = ({ side, received, expectedPrefix }: Side, hint: string) => ({
  side,
  received_value: received,
  expected_prefix: expectedPrefix,
  hint,
});

function pairWording(p: Side, message: string, hint: string) {
  return { message, hint, details: details(p, hint) };
}

export const JOIN_ERRORS = {
  E_INVALID_JOIN: entry<JoinProblem>(
    400,
    'Any fault of `join`: its shape, a `with` that is not listed or not defined earlier, a side of another name than `from` or `with`, a key that the material does not declare, two columns of one name.',
    (p) => {
      switch (p.problem) {
        case 'shape':
          return {
            message: `"join" must be an object with "with" and "on", but here stands ${quote(p.received)}.`,
            example:
              'Write "join": {"with": "click_event", "on": [{"left": "allpv.pv_id", "right": "click_event.pv_id"}]}.',
          };
        case 'several':
          return {
            message: 'A view joins one material or view; here stands a list.',
            example: 'Join the first here, and the next in a view that reads from this one.',
          };
        case 'mode':
          return {
            message: `"if not match" must be "keep-left" or "drop", but it is ${quote(p.received)}.`,
            example: 'Leave it out to keep rows without a match.',
          };
        case 'with-shape':
          return {
            message: `"with" must be the name of a material or of an earlier view, but it is ${quote(p.received)}.`,
            example: 'Write "with": "click_event".',
          };
        case 'on':
          return {
            message: `"on" must be a list of pairs, but it is ${quote(p.received)}.`,
            example: 'Write "on": [{"left": "allpv.pv_id", "right": "click_event.pv_id"}].',
          };
        case 'reference':
          return {
            message: `A side of a pair is written material.column, but here stands ${quote(p.received)}.`,
            example: 'Write {"left": "allpv.pv_id", "right": "click_event.pv_id"}.',
          };
        case 'fill-shape':
          return {
            message: `"fill" must be one value, but it is ${quote(p.received)}.`,
            example: 'Write "fill": 0, or leave it out for null.',
          };
        case 'with':
          return {
            message: `${quote(p.received)} is neither a material of the query nor an earlier view.`,
            hint: p.unlisted ? `Add {"name": ${quote(p.received)}} to "materials".` : undefined,
            example: didYouMean(p.nearest) ?? `"with" may be ${list(p.sources)}.`,
            details: { received_value: p.received, sources: p.sources },
          };
        case 'itself':
          return {
            message: `${quote(p.received)} is joined with itself, so that its columns could not be told apart.`,
            hint: `Make an earlier view of ${quote(p.received)} and join with that view.`,
          };
        case 'prefix':
          return pairWording(
            p,
            p.side === 'left'
              ? `on.left names the material that the view reads from, ${quote(p.expectedPrefix)}, but here stands ${quote(p.received)}.`
              : `on.right names what is joined, ${quote(p.expectedPrefix)}, but here stands ${quote(p.received)}.`,
            `Write "${p.expectedPrefix}.${p.column}".`,
          );
        case 'key':
          return pairWording(
            p,
            `${quote(p.received)} is no key for a join.`,
            p.keys.length === 0
              ? `${quote(p.expectedPrefix)} has no key that both sides share.`
              : `Keys that both sides have: ${list(p.keys)}.`,
          );
        case 'not-kept':
          return pairWording(
            p,
            `The view ${quote(p.view)} does not keep ${quote(p.column)}, so it cannot be joined on it.`,
            `Add ${quote(p.column)} to "keep" of ${quote(p.view)}.`,
          );
        case 'unequal':
          return pairWording(
            p,
            `A pair joins the same key of both sides, but ${quote(p.received)} stands against ${quote(p.other)}.`,
            `Write "${p.expectedPrefix}.${p.other.slice(p.other.lastIndexOf('.') + 1)}".`,
          );
        case 'collision':
          return {
            message: `${list(p.entries.map(quote))} would both be the output column ${quote(p.name)}.`,
            hint: 'Keep one of them; a column of the other name can be had by way of a calc.',
          };
        case 'ambiguous':
          return {
            message: `${quote(p.received)} could be a column of either side.`,
            hint: `Write "${p.ofFrom}" for the from side; for the other, make an earlier view of ${p.joined} and join that view.`,
          };
        case 'fill':
          return {
            message: `fill is ${quote(p.received)}, which is no value for ${quote(p.column)} of type ${p.type}: that takes ${p.expected}.`,
            hint: 'Leave "fill" out, or keep only joined columns that it fits.',
          };
      }
    },
  ),
};
