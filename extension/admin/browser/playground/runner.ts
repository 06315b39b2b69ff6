// Runs the query of the editor: one at a time, a newer one instead of an older, until its answer is there or it is stopped.
// What breaks on the way is told apart from what breaks when the answer is shown.
import { UNREACHABLE } from '../data/refusal';
import type { RestAnswer } from '../data/rest-answer';
import type { Question } from './question';

export interface RunnerParts {
  readonly run: HTMLButtonElement;
  readonly stop: HTMLButtonElement;
  question(): Question;
  ask(question: Question, signal: AbortSignal): Promise<RestAnswer>;
  onStart(): void;
  onBusy(isBusy: boolean): void;
  /** `elapsed` in milliseconds, with the way. */
  onAnswer(rest: RestAnswer, question: Question, elapsed: number): void;
  /** With a sentence why there is nothing to show. */
  onFailure(sentence: string, question: Question): void;
}

const DISPLAY_FAULT = 'The answer came, and could not be shown.';

/** Makes the buttons work; the function that is given starts a run. */
export function makeRunner(parts: RunnerParts): () => Promise<void> {
  let running: AbortController | undefined;

  function show(rest: RestAnswer, question: Question, elapsed: number): void {
    try {
      parts.onAnswer(rest, question, elapsed);
    } catch {
      parts.onFailure(DISPLAY_FAULT, question);
    }
  }

  function settle(): void {
    running = undefined;
    parts.onBusy(false);
    // A button that goes away must not take the focus with it.
    if (document.activeElement === parts.stop) parts.run.focus();
    parts.stop.hidden = true;
  }

  async function run(): Promise<void> {
    running?.abort();
    const mine = new AbortController();
    running = mine;
    parts.onStart();
    parts.onBusy(true);
    parts.stop.hidden = false;
    const question = parts.question();
    const started = performance.now();
    const answer = await parts.ask(question, mine.signal).catch(() => undefined);
    if (running !== mine) return;
    if (answer !== undefined) show(answer, question, performance.now() - started);
    else parts.onFailure(mine.signal.aborted ? 'Stopped.' : UNREACHABLE, question);
    settle();
  }

  parts.run.addEventListener('click', () => void run());
  parts.stop.addEventListener('click', () => running?.abort());
  return run;
}
