// The list of sites: counts the rows of some sites after the page is there, one site after the other; a button goes on.
// Each cell with data-rows-of gets the total, and the materials inside of it; a failure leaves the link that was there.
import { askRest } from './data/ask-rest';
import { isObject } from './data/refusal';

interface Counted {
  readonly message: string;
  readonly counts: readonly string[];
}

function countedOf(answer: unknown): Counted | undefined {
  if (!isObject(answer) || typeof answer.message !== 'string' || !Array.isArray(answer.counts))
    return undefined;
  const counts = answer.counts.flatMap((one: unknown) =>
    isObject(one) && typeof one.rows === 'number'
      ? [`${String(one.material)}: ${one.rows.toLocaleString('en')}`]
      : [],
  );
  return { message: answer.message, counts };
}

function show(cell: HTMLElement, { message, counts }: Counted): void {
  if (counts.length === 0) {
    cell.textContent = message;
    return;
  }
  const summary = document.createElement('summary');
  summary.textContent = message;
  const list = document.createElement('ul');
  for (const count of counts) {
    const item = document.createElement('li');
    item.textContent = count;
    list.append(item);
  }
  const details = document.createElement('details');
  details.append(summary, list);
  cell.replaceChildren(details);
}

/** So many at once: each site is a call of its own, and the other pages of the person need theirs in the same minute. */
const AT_ONCE = 20;

async function count(route: string, cell: HTMLElement): Promise<void> {
  const query = new URLSearchParams({ tracking_id: cell.dataset.rowsOf ?? '' });
  cell.setAttribute('aria-busy', 'true');
  try {
    const counted = countedOf(await askRest(`${route}?${query}`));
    if (counted !== undefined) show(cell, counted);
  } finally {
    cell.removeAttribute('aria-busy');
  }
}

function countSites(table: HTMLTableElement): void {
  const route = table.dataset.countRoute ?? '';
  const waiting = [...table.querySelectorAll<HTMLElement>('[data-rows-of]')];
  const why = document.createElement('span');
  why.setAttribute('role', 'status');
  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'quiet';
  const note = document.createElement('p');
  note.className = 'actions';
  note.append(more, why);
  let isBusy = false;

  /** Ends at the first site that is refused: that one comes last then. */
  async function countNext(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    why.textContent = '';
    try {
      for (const cell of waiting.slice(0, AT_ONCE)) {
        await count(route, cell);
        waiting.shift();
      }
    } catch (error) {
      why.textContent = error instanceof Error ? error.message : String(error);
      // One that can never be counted must not keep the others from it.
      waiting.push(...waiting.splice(0, 1));
    }
    isBusy = false;
    more.textContent = `Count the rows of ${Math.min(waiting.length, AT_ONCE)} more`;
    if (waiting.length === 0) note.remove();
    else if (!note.isConnected) (table.parentElement ?? table).after(note);
  }

  more.addEventListener('click', () => void countNext());
  void countNext();
}

const table = document.querySelector<HTMLTableElement>('table[data-count-route]');
if (table !== null) countSites(table);
