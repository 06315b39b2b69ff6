// The explanation of a query, fetched when the tab is first shown.
import { button, copyable, element, pairs } from '../shared/elements';
import { countRows } from '../shared/query-answer';
import { callRest, sentenceOf } from '../shared/rest';
import { errorOf, isObject, type RestError } from '../shared/rest-answer';
import { isSame, pagesRoute, type Question } from './question';

interface Explanation {
  readonly version: string;
  readonly bounds: { readonly start: string; readonly end: string; readonly tz: string };
  /** Views with their own time range. */
  readonly views: readonly { readonly name: string; readonly start: string; readonly end: string }[];
  /** SQL and bindings are present only for users who manage sites. */
  readonly sql?: string;
  readonly bindings?: readonly unknown[];
  /** The engine, and why it was chosen. */
  readonly engine: { readonly engine: string; readonly because: string };
  readonly rows: number;
  readonly milliseconds: { readonly prepare: number; readonly database: number };
  readonly passes: readonly {
    readonly name: string;
    readonly did: string;
    readonly because: readonly string[];
  }[];
  readonly stages: Readonly<Record<string, unknown>>;
}

const isExplanation = (body: unknown): body is Explanation =>
  isObject(body) &&
  Array.isArray(body.passes) &&
  Array.isArray(body.views) &&
  isObject(body.bounds) &&
  isObject(body.engine) &&
  isObject(body.stages) &&
  isObject(body.milliseconds);

async function fetchExplanation({ text, version }: Question): Promise<Explanation | RestError> {
  const answer = await callRest(pagesRoute('explain', { version }), { body: text });
  return answer.status === 200 && isExplanation(answer.body) ? answer.body : errorOf(answer);
}

function stage(name: string, value: unknown): HTMLElement {
  const text = element('pre', JSON.stringify(value, null, 2), '', { tabindex: 0 });
  return element('details', [element('summary', name), text]);
}

const NO_SQL =
  'SQL and bindings contain internal site ids, so only users who manage sites can see them and the stages before the plan.';

/** Unformatted if the formatter cannot be loaded. */
async function readableSql({ sql, engine }: Explanation): Promise<readonly (string | Node)[]> {
  if (sql === undefined) return [];
  const module = await import('./format-sql').catch(() => undefined);
  return module?.formatSql(sql, engine.engine) ?? [sql];
}

const OUTCOMES: Readonly<Record<string, string>> = { fired: 'Applied.', nothing: 'Not applied.' };

function explanationNodes(
  { version, bounds, views, sql, bindings, engine, rows, milliseconds, passes, stages }: Explanation,
  formatted: readonly (string | Node)[],
): readonly HTMLElement[] {
  return [
    pairs([
      ['API version', version],
      ['From', `${bounds.start} (UTC)`],
      ['Until', `${bounds.end} (UTC), exclusive`],
      ...views.map(({ name, start, end }): [string, string] => [
        `View ${name}`,
        `from ${start} until ${end} (UTC), exclusive`,
      ]),
      ['Time zone', bounds.tz],
      ['Answered from', `${engine.engine}. ${engine.because}`],
      ['Planned in', `${milliseconds.prepare} ms`],
      ['Run in', `${milliseconds.database} ms, ${countRows(rows)}`],
    ]),
    ...(sql === undefined
      ? [element('p', NO_SQL, 'hint')]
      : [
          element('h2', 'SQL'),
          copyable('explain-sql', formatted),
          element('h2', 'Bindings'),
          copyable('explain-bindings', JSON.stringify(bindings)),
        ]),
    element('h2', 'Rewrites of the plan'),
    pairs(passes.map(({ name, did, because }) => [name, [OUTCOMES[did] ?? did, ...because].join(' ')])),
    element('h2', 'Stages'),
    ...Object.entries(stages).map(([name, value]) => stage(name, value)),
  ];
}

interface ExplainPanelParts {
  question(): Question;
  onError(error: RestError): void;
}

export function createExplainPanel(panel: HTMLElement, { question, onError }: ExplainPanelParts) {
  let shown: Question | undefined;
  let isFetching = false;

  function offer(words: readonly (string | Node)[], className: string, label: string): void {
    shown = undefined;
    const again = button(label, 'quiet', () => {
      // The pressed button is removed, so the panel takes focus.
      panel.focus();
      void fill();
    });
    panel.replaceChildren(element('p', [...words, ' ', again], className));
  }

  const offerRefresh = () => offer(['The query has changed since this explanation.'], '', 'Explain it again');

  async function fill(): Promise<void> {
    if (shown !== undefined || isFetching) return;
    isFetching = true;
    panel.setAttribute('aria-busy', 'true');
    const requested = question();
    const explained = await fetchExplanation(requested);
    const sql = isExplanation(explained) ? await readableSql(explained) : [];
    isFetching = false;
    panel.removeAttribute('aria-busy');
    if (!isSame(requested, question())) offerRefresh();
    else if (isExplanation(explained)) {
      panel.replaceChildren(...explanationNodes(explained, sql));
      shown = requested;
    } else {
      offer(['The query cannot be explained: ', ...sentenceOf(explained)], 'fault', 'Try again');
      onError(explained);
    }
  }

  return {
    fill,
    changed(): void {
      if (shown !== undefined && !isSame(shown, question())) offerRefresh();
    },
  };
}
