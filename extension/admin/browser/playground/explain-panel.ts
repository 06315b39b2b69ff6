// The panel of the explanation: how the query is understood and run. It asks when it is first looked at.
import { button, element, pairs } from '../shared/elements';
import { countRows } from '../shared/query-answer';
import { callRest, sentenceOf, thisPage } from '../shared/rest';
import { errorOf, isObject, type RestError, UNREACHABLE } from '../shared/rest-answer';
import { pagesRoute, type Question } from './question';

/** The answer of the route. */
interface Explanation {
  readonly version: string;
  readonly bounds: { readonly start: string; readonly end: string; readonly tz: string };
  /** SQL and bindings are only for people who manage sites. */
  readonly sql?: string;
  readonly bindings?: readonly unknown[];
  readonly rows: number;
  readonly milliseconds: { readonly prepare: number; readonly database: number };
  /** Rewrites of the plan in their order. */
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
  | { readonly kind: 'error'; readonly error: RestError }
  /** The text has changed since it was sent. */
  | { readonly kind: 'outdated' };

const isExplanation = (body: unknown): body is Explanation =>
  isObject(body) && Array.isArray(body.passes) && isObject(body.stages) && isObject(body.milliseconds);

export async function explainQuestion(
  namespace: string,
  { text, version }: Question,
): Promise<Exclude<Explained, { kind: 'outdated' }>> {
  const route = pagesRoute(namespace, 'explain', { version });
  const unreachable = { kind: 'error', error: { code: '', message: UNREACHABLE } } as const;
  const answer = await callRest(route, { body: text }).catch(() => undefined);
  if (answer === undefined) return unreachable;
  const { status, body } = answer;
  if (status === 200 && isExplanation(body)) return { kind: 'explanation', explanation: body };
  return { kind: 'error', error: errorOf(answer, thisPage()) };
}

function copyable(id: string, text: string): HTMLElement {
  const pre = element('pre', text);
  pre.id = id;
  pre.tabIndex = 0;
  const copy = element('button', 'Copy');
  copy.type = 'button';
  copy.dataset.copy = id;
  return element('div', [pre, copy], 'copyable');
}

function stage(name: string, value: unknown): HTMLElement {
  const text = element('pre', JSON.stringify(value, null, 2));
  text.tabIndex = 0;
  return element('details', [element('summary', name), text]);
}

const NO_SQL =
  'SQL and bindings contain internal site numbers, so only people who manage sites see them and the stages before the plan.';

const OUTCOMES: Readonly<Record<string, string>> = { fired: 'Applied.', nothing: 'Not applied.' };

function explanationNodes({
  version,
  bounds,
  sql,
  bindings,
  rows,
  milliseconds,
  passes,
  stages,
}: Explanation): readonly HTMLElement[] {
  return [
    pairs([
      ['API version', version],
      ['From', `${bounds.start} (UTC)`],
      ['Until', `${bounds.end} (UTC), excluded`],
      ['Days begin in', bounds.tz],
      ['Planned in', `${milliseconds.prepare} ms`],
      ['Run in', `${milliseconds.database} ms, ${countRows(rows)}`],
    ]),
    ...(sql === undefined
      ? [element('p', NO_SQL, 'hint')]
      : [
          element('h2', 'SQL'),
          copyable('explain-sql', sql),
          element('h2', 'Bindings'),
          copyable('explain-bindings', JSON.stringify(bindings)),
        ]),
    element('h2', 'Rewrites of the plan'),
    pairs(passes.map(({ name, did, because }) => [name, [OUTCOMES[did] ?? did, ...because].join(' ')])),
    element('h2', 'Stages'),
    ...Object.entries(stages).map(([name, value]) => stage(name, value)),
  ];
}

export interface ExplainPanel {
  /** Asks, unless the explanation is there. */
  fill(): Promise<void>;
  /** The query has changed. */
  outdate(): void;
}

export function createExplainPanel(panel: HTMLElement, explain: () => Promise<Explained>): ExplainPanel {
  let state: 'empty' | 'asked' | 'shown' = 'empty';

  function offer(words: readonly (string | Node)[], className: string, label: string): void {
    const again = button(label, 'quiet', () => {
      // The pressed button goes away, so the panel takes the focus.
      panel.focus();
      void fill();
    });
    panel.replaceChildren(element('p', [...words, ' ', again], className));
  }

  const offerOutdated = () =>
    offer(['The query has changed since it was explained.'], '', 'Explain it again');

  async function fill(): Promise<void> {
    if (state !== 'empty') return;
    state = 'asked';
    panel.setAttribute('aria-busy', 'true');
    const explained = await explain();
    state = 'empty';
    panel.removeAttribute('aria-busy');
    if (explained.kind === 'outdated') offerOutdated();
    else if (explained.kind === 'error') {
      offer(['The query cannot be explained: ', ...sentenceOf(explained.error)], 'fault', 'Try again');
    } else {
      panel.replaceChildren(...explanationNodes(explained.explanation));
      state = 'shown';
    }
  }

  return {
    fill,
    outdate() {
      if (state !== 'shown') return;
      state = 'empty';
      offerOutdated();
    },
  };
}
