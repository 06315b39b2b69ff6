// Asks the question of the editor, and shows what comes back: an answer in the panels, an error beside the text.
// Of a text that was changed meanwhile no place can be shown, and its answer says so.

import type { RestAnswer } from '../data/rest-answer';
import { thisPage } from '../data/send';
import { readAnswer, summaryOf } from './answer';
import { makeAnswerPanels } from './answer-panels';
import type { Catalogue } from './catalogue';
import type { Explained } from './explain-view';
import type { PageParts } from './page-parts';
import { answeredColumns } from './query-names';
import { readQueryText } from './query-text';
import { askExplanation, askQuery, isSame, type Question } from './question';
import { makeRunner } from './runner';
import type { ToldError } from './told-error';

export interface AnswerSideParts {
  readonly page: Pick<PageParts, 'run' | 'stop'>;
  readonly namespace: string;
  readonly told: ToldError;
  /** As the editor has it. */
  question(): Question;
  /** Of the chosen site; undefined while nothing is known. */
  catalogue(): Catalogue | undefined;
}

export interface AnswerSide {
  run(): Promise<void>;
  /** The question is another one, or the same again. */
  changed(): void;
}

export function makeAnswerSide({ page, namespace, told, question, catalogue }: AnswerSideParts): AnswerSide {
  /** What the panels show the answer of. */
  let answered: Question | undefined;
  const isAsked = (asked: Question) => isSame(asked, question());

  async function explain(): Promise<Explained> {
    const asked = question();
    const explained = await askExplanation(namespace, asked);
    if (!isAsked(asked)) return { kind: 'outdated' };
    if (explained.kind === 'error') told.tell(explained.error);
    return explained;
  }

  const panels = makeAnswerPanels(explain);

  function changed(): void {
    panels.changed(answered !== undefined && !isAsked(answered));
  }

  function onFailure(sentence: string, asked: Question): void {
    answered = asked;
    panels.fail(sentence);
  }

  function onAnswer(rest: RestAnswer, asked: Question, elapsed: number): void {
    const answer = readAnswer(rest, thisPage());
    if (answer.kind === 'error') {
      if (isAsked(asked)) told.tell(answer.error);
      onFailure(`There is no answer: ${answer.error.message}`, asked);
      return;
    }
    answered = asked;
    const { query } = readQueryText(asked.text);
    const columns = answeredColumns(answer.columns, query, catalogue() ?? { materials: [] });
    panels.show(answer, columns, summaryOf(answer, elapsed));
    if (!isAsked(asked)) changed();
  }

  const run = makeRunner({
    ...page,
    question,
    ask: (asked, signal) => askQuery(namespace, asked, signal),
    onStart: told.forget,
    onBusy: panels.busy,
    onAnswer,
    onFailure,
  });
  return { run, changed };
}
