// Counts the rows of each site after the list of sites has loaded, one site at a time. The link in a cell with data-rows leads to
// a page with the total and the row count of each dataset, which replace it; if counting fails, the cell keeps its link.
import { button, element } from './shared/elements';
import { fetchPart } from './shared/page-part';
import { messageOf } from './shared/rest';

function show(cell: HTMLElement, counted: HTMLElement): void {
  const total = counted.querySelector('strong')?.textContent ?? '';
  const items = [...counted.querySelectorAll('tbody > tr')].map(({ children }) =>
    element('li', [...children].map(({ textContent }) => textContent).join(': ')),
  );
  const summary = element('summary', total);
  cell.replaceChildren(items.length === 0 ? total : element('details', [summary, element('ul', items)]));
}

/** An installation may have hundreds of sites, and counting one takes up to a minute. */
const BATCH = 10;

async function count(cell: HTMLElement): Promise<void> {
  const page = cell.querySelector('a')?.href ?? '';
  cell.setAttribute('aria-busy', 'true');
  try {
    show(cell, await fetchPart('rows', page));
  } finally {
    cell.removeAttribute('aria-busy');
  }
}

function countSites(cells: readonly HTMLElement[]): void {
  const waiting = [...cells];
  const why = element('span', [], '', { role: 'status' });
  const more = button('', 'quiet', () => void countNext());
  const note = element('p', [more, why], 'actions');
  let isBusy = false;

  /** Stops at the first failure. */
  async function countNext(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    why.textContent = '';
    try {
      for (const cell of waiting.slice(0, BATCH)) {
        await count(cell);
        waiting.shift();
      }
    } catch (error) {
      why.textContent = messageOf(error);
      // A site that always fails must not block the others.
      waiting.push(...waiting.splice(0, 1));
    }
    isBusy = false;
    more.textContent = `Count the rows of ${Math.min(waiting.length, BATCH)} more`;
    if (waiting.length === 0) note.remove();
    else if (!note.isConnected) cells[0]?.closest('.scroll')?.after(note);
  }

  void countNext();
}

countSites([...document.querySelectorAll<HTMLElement>('[data-rows]')]);
