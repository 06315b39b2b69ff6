// Counts the rows of each site after the list of sites has loaded, one site at a time. A cell with data-rows-of gets the total
// and the row count of each dataset; if counting fails, it keeps its link.
import { button, element } from './shared/elements';
import { fetchRest, messageOf } from './shared/rest';
import { isObject, type JsonObject } from './shared/rest-answer';

function show(cell: HTMLElement, { message, counts }: JsonObject): void {
  if (typeof message !== 'string' || !Array.isArray(counts)) return;
  const items = counts
    .filter(isObject)
    .map(({ material, rows }) => element('li', `${material}: ${Number(rows).toLocaleString('en')}`));
  const summary = element('summary', message);
  cell.replaceChildren(items.length === 0 ? message : element('details', [summary, element('ul', items)]));
}

/** Each site takes one request. A user's pages share one rate limit; with this batch size, it allows six visits a minute. */
const BATCH = 10;

async function count(route: string, cell: HTMLElement): Promise<void> {
  const query = new URLSearchParams({ tracking_id: cell.dataset.rowsOf ?? '' });
  cell.setAttribute('aria-busy', 'true');
  try {
    show(cell, await fetchRest(`${route}?${query}`));
  } finally {
    cell.removeAttribute('aria-busy');
  }
}

function countSites(table: HTMLTableElement): void {
  const route = table.dataset.countRoute ?? '';
  const waiting = [...table.querySelectorAll<HTMLElement>('[data-rows-of]')];
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
        await count(route, cell);
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
    else if (!note.isConnected) (table.parentElement ?? table).after(note);
  }

  void countNext();
}

const table = document.querySelector<HTMLTableElement>('table[data-count-route]');
if (table !== null) countSites(table);
