// Shows how a query is understood and run: the answer of POST explain as lists and texts.
import { isObject, NO_ANSWER } from '../data/refusal';
import type { RestAnswer } from '../data/rest-answer';
import { readAnswer, rowsInWords } from './answer';
import { element } from './elements';
import type { ServerError } from './faults';

/** What the route answers. */
export interface Explanation {
  readonly version: string;
  readonly bounds: { readonly start: string; readonly end: string; readonly tz: string };
  /** These two are told to people who manage sites. */
  readonly sql?: string;
  readonly bindings?: readonly unknown[];
  readonly rows: number;
  readonly milliseconds: { readonly prepare: number; readonly database: number };
  /** Rewrites of the plan in their order: what became of each, and why it left something as it is. */
  readonly passes: readonly {
    readonly name: string;
    readonly did: string;
    readonly because: readonly string[];
  }[];
  /** Name of the stage -> the query as it is there. */
  readonly stages: Readonly<Record<string, unknown>>;
}

export type Explained =
  | { readonly kind: 'explanation'; readonly explanation: Explanation }
  | { readonly kind: 'error'; readonly error: ServerError }
  /** The text has changed since it was sent. */
  | { readonly kind: 'outdated' };

const isExplanation = (body: unknown): body is Explanation =>
  isObject(body) &&
  Array.isArray(body.passes) &&
  isObject(body.stages) &&
  isObject(body.bounds) &&
  isObject(body.milliseconds);

/** What an answer of the route is; `here` is the address of the page. */
export function readExplained(rest: RestAnswer, here: string): Explained {
  if (rest.status === 200 && isExplanation(rest.body)) return { kind: 'explanation', explanation: rest.body };
  const answer = readAnswer(rest, here);
  return answer.kind === 'error' ? answer : { kind: 'error', error: { code: '', message: NO_ANSWER } };
}

function pairs(lines: readonly (readonly [string, string])[]): HTMLElement {
  const list = element('dl', '', 'pairs');
  for (const [title, text] of lines) list.append(element('dt', title), element('dd', text));
  return list;
}

function copyable(id: string, text: string): HTMLElement {
  const box = element('div', '', 'copyable');
  const pre = element('pre', text);
  pre.id = id;
  pre.tabIndex = 0;
  const copy = element('button', 'Copy');
  copy.type = 'button';
  copy.dataset.copy = id;
  box.append(pre, copy);
  return box;
}

function stage(name: string, value: unknown): HTMLElement {
  const details = element('details');
  const text = element('pre', JSON.stringify(value, null, 2));
  text.tabIndex = 0;
  details.append(element('summary', name), text);
  return details;
}

const NO_SQL =
  'The SQL and its bindings hold the numbers of sites. They are shown to people who manage sites, and so are the stages before the plan.';

function statement(sql: string | undefined, bindings: readonly unknown[] = []): readonly HTMLElement[] {
  if (sql === undefined) return [element('p', NO_SQL, 'hint')];
  return [
    element('h2', 'SQL'),
    copyable('explain-sql', sql),
    element('h2', 'Bindings'),
    copyable('explain-bindings', JSON.stringify(bindings)),
  ];
}

const WHAT_IT_DID: Readonly<Record<string, string>> = {
  fired: 'Made.',
  nothing: 'Not made.',
};

/** Fills the container. */
export function showExplanation(container: HTMLElement, explanation: Explanation): void {
  const { version, bounds, sql, bindings, rows, milliseconds, passes, stages } = explanation;
  container.replaceChildren(
    pairs([
      ['Contract', version],
      ['From', `${bounds.start} (UTC)`],
      ['Until', `${bounds.end} (UTC), not included`],
      ['Days begin in', bounds.tz],
      ['Understood and planned in', `${milliseconds.prepare} ms`],
      ['Answered by the database in', `${milliseconds.database} ms, ${rowsInWords(rows)}`],
    ]),
    ...statement(sql, bindings),
    element('h2', 'Rewrites of the plan'),
    pairs(passes.map(({ name, did, because }) => [name, [WHAT_IT_DID[did] ?? did, ...because].join(' ')])),
    element('h2', 'Stages'),
    ...Object.entries(stages).map(([name, value]) => stage(name, value)),
  );
}
