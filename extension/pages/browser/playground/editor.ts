// The editor in place of the textarea, which stays in the page, hidden, and carries the text.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, invertedEffects, isolateHistory } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import { Prec, StateEffect, StateField, Transaction } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { QueryEdit } from '../../shared-types/query-check';
import type { Candidate, Completion } from './complete-query';
import { editorTheme } from './editor-theme';
import { hangingIndent } from './hanging-indent';
import type { Fault } from './query-faults';
import type { TextRange } from './query-text';
import { changedRange } from './repair-text';
import type { SavedText } from './saved-queries';

/** Where the text comes from. Undo brings it back together with the text. */
export interface Origin {
  readonly version: string;
  /** The saved query that is open. */
  readonly saved: SavedText | undefined;
}

interface EditorParts {
  readonly textarea: HTMLTextAreaElement;
  /** Of the styles, from the page's content policy. */
  readonly nonce: string;
  readonly origin: Origin;
  complete(text: string, offset: number): Completion | null;
  findFaults(text: string): Promise<readonly Fault[]>;
  onRepair(edits: readonly QueryEdit[]): void;
  /** Text or origin are others. */
  onChange(): void;
  onRun(): void;
  onSave(): void;
  /** Escape was pressed with nothing open that it would close. */
  onLeave(): void;
}

export interface Editor {
  text(): string;
  /** Changes the text where it differs; undo brings the old one back. */
  setText(text: string): void;
  origin(): Origin;
  /** Changes both; undo brings both back. */
  open(text: string, origin: Origin): void;
  /** Undo does not change it back. */
  setOrigin(origin: Origin): void;
  /** Looks for faults again, after something other than the text has changed. */
  recheck(): void;
  /** Selects a range and takes the focus. */
  goTo(range: TextRange): void;
}

/** Each check is a call, which counts against the rate limit of the pages but not against that of queries. */
const LINT_DELAY_MS = 600;
const lintAgain = StateEffect.define<null>();

const setOrigin = StateEffect.define<Origin>();

const originField = StateField.define<Origin>({
  create: () => ({ version: '', saved: undefined }),
  update: (origin, { effects }) =>
    effects.reduce((last, effect) => (effect.is(setOrigin) ? effect.value : last), origin),
});

/** Lets undo bring back the origin. */
const undoOrigin = invertedEffects.of(({ startState, effects }) =>
  effects.some((effect) => effect.is(setOrigin)) ? [setOrigin.of(startState.field(originField))] : [],
);

/** Typing on within these characters filters the list that is open. */
const SAME_WORD = /^[\w.-]*$/;

function completionSource({ complete }: EditorParts) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const text = state.doc.toString();
    const found = complete(text, pos);
    if (found === null) return null;
    const { from, to, candidates } = found;
    const isInside = text[from - 1] === '"' || text[from - 1] === '(';
    if (!explicit && !isInside && from === pos) return null;
    // What is compared with the candidates ends at the cursor; what a candidate replaces may go on, past a closing quote.
    return { from, to: pos, options: candidates.map(optionOf(to - pos)), validFor: SAME_WORD };
  };
}

/** An option that replaces so many more characters behind the cursor. */
const optionOf =
  (more: number) =>
  ({ label, about, apply, caret }: Candidate, index: number) => ({
    label,
    // Equal matches keep their order.
    boost: -index / 1000,
    ...(about === '' ? {} : { info: about }),
    apply(view: EditorView, completion: { readonly label: string }, from: number, to: number) {
      view.dispatch({
        changes: { from, to: to + more, insert: apply },
        selection: { anchor: from + (caret ?? apply.length) },
        userEvent: 'input.complete',
        annotations: pickedCompletion.of(completion),
        scrollIntoView: true,
      });
      // Between quotes or brackets the next name follows.
      if (caret !== undefined) startCompletion(view);
    },
  });

async function diagnose(view: EditorView, { findFaults, onRepair }: EditorParts): Promise<Diagnostic[]> {
  const faults = await findFaults(view.state.doc.toString());
  return faults.map(({ from, to, message, repair }) => ({
    from,
    to,
    message,
    severity: 'error',
    actions: repair === undefined ? [] : [{ name: repair.name, apply: () => onRepair(repair.edits) }],
  }));
}

/** A key binding that always handles its key. */
const bind = (key: string, act: () => void) => ({
  key,
  run() {
    act();
    return true;
  },
});

export function createEditor(parts: EditorParts): Editor {
  const { textarea } = parts;
  const view = new EditorView({
    doc: textarea.value,
    extensions: [
      editorTheme(parts.nonce),
      lineNumbers(),
      history(),
      originField.init(() => parts.origin),
      undoOrigin,
      json(),
      bracketMatching(),
      closeBrackets(),
      indentOnInput(),
      hangingIndent,
      EditorView.contentAttributes.of({
        'aria-labelledby': 'query-label',
        'aria-describedby': 'query-hint',
        // What scrolls must hold something that takes the focus, and not every tool knows that edited text does.
        tabindex: '0',
      }),
      autocompletion({ override: [completionSource(parts)], icons: false }),
      linter((view) => diagnose(view, parts), {
        delay: LINT_DELAY_MS,
        needsRefresh: ({ transactions }) =>
          transactions.some(({ effects }) => effects.some((effect) => effect.is(lintAgain))),
      }),
      lintGutter(),
      Prec.highest(
        keymap.of([
          bind('Mod-Enter', parts.onRun),
          bind('Ctrl-Enter', parts.onRun),
          bind('Mod-s', parts.onSave),
        ]),
      ),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        bind('Escape', parts.onLeave),
        ...defaultKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged, startState, state }) => {
        if (!docChanged && startState.field(originField) === state.field(originField)) return;
        textarea.value = state.doc.toString();
        parts.onChange();
      }),
    ],
  });
  textarea.hidden = true;
  textarea.after(view.dom);
  // The label belongs to the textarea, which can no longer take the focus.
  for (const label of textarea.labels) label.addEventListener('click', () => view.focus());
  /** One step of undo, however fast it follows another. */
  function replaceText(wanted: string, effects: readonly StateEffect<Origin>[]): void {
    const text = wanted.replace(/\r\n?/g, '\n');
    const before = view.state.doc.toString();
    const { from, to } = changedRange(before, text);
    const end = before.length - (text.length - to);
    view.dispatch({
      changes: { from, to: end, insert: text.slice(from, to) },
      effects,
      annotations: isolateHistory.of('full'),
    });
  }
  return {
    text: () => view.state.doc.toString(),
    setText: (text) => replaceText(text, []),
    origin: () => view.state.field(originField),
    open: (text, origin) => replaceText(text, [setOrigin.of(origin)]),
    setOrigin(origin) {
      view.dispatch({ effects: setOrigin.of(origin), annotations: Transaction.addToHistory.of(false) });
    },
    recheck() {
      view.dispatch({ effects: lintAgain.of(null) });
      forceLinting(view);
    },
    goTo({ from, to }) {
      view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
      view.focus();
    },
  };
}
