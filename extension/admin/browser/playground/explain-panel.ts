// The panel of the explanation: asks for it when it is looked at, and says why when there is none.
// An explanation of a text that has changed meanwhile is not shown.
import { UNREACHABLE } from '../data/refusal';
import { refusalLink } from '../data/refusal-link';
import { button, element } from './elements';
import { type Explained, showExplanation } from './explain-view';

export interface ExplainPanel {
  /** Asks, unless the explanation is there. */
  fill(): Promise<void>;
  /** The query has changed, so that it has to be asked anew. */
  changed(): void;
}

const DISPLAY_FAULT = 'The explanation came, and could not be shown.';

/** `explain` rejects when the server cannot be reached. */
export function makeExplainPanel(panel: HTMLElement, explain: () => Promise<Explained>): ExplainPanel {
  let state: 'empty' | 'asked' | 'shown' = 'empty';

  function offer(words: readonly (string | Node)[], className: string, label: string): void {
    const again = button(label, 'quiet', () => {
      // The button goes away: the panel has the focus in its place.
      panel.focus();
      void fill();
    });
    const sentence = element('p', '', className);
    sentence.append(...words, ' ', again);
    panel.replaceChildren(sentence);
  }

  function show(explained: Explained | undefined): void {
    if (explained === undefined) offer([UNREACHABLE], 'fault', 'Try again');
    else if (explained.kind === 'explanation') {
      showExplanation(panel, explained.explanation);
      state = 'shown';
    } else if (explained.kind === 'outdated') {
      offer(['The query has changed since it was explained.'], '', 'Explain it again');
    } else {
      const words = `The query cannot be explained: ${explained.error.message}`;
      offer([words, ' ', ...refusalLink(explained.error)], 'empty', 'Try again');
    }
  }

  async function fill(): Promise<void> {
    if (state !== 'empty') return;
    state = 'asked';
    panel.setAttribute('aria-busy', 'true');
    const explained = await explain().catch(() => undefined);
    state = 'empty';
    panel.removeAttribute('aria-busy');
    try {
      show(explained);
    } catch {
      state = 'empty';
      offer([DISPLAY_FAULT], 'fault', 'Try again');
    }
  }

  return {
    fill,
    changed() {
      if (state !== 'shown') return;
      state = 'empty';
      show({ kind: 'outdated' });
    },
  };
}
