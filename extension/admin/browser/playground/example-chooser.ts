// The chooser of examples: shows those of the catalogue, and gives the chosen one as text.
import type { Catalogue } from './catalogue';
import { laidOut } from './laid-out';

export interface ExampleChooser {
  offer(catalogue: Pick<Catalogue, 'examples'>): void;
  /** Undefined while there is none. */
  chosen(): string | undefined;
}

export function makeExampleChooser(select: HTMLSelectElement): ExampleChooser {
  let texts: readonly string[] = [];
  return {
    offer({ examples }) {
      texts = examples.map(({ query }) => laidOut(JSON.stringify(query)));
      select.replaceChildren(...examples.map(({ title }, index) => new Option(title, String(index))));
    },
    chosen: () => texts[Number(select.value)],
  };
}
