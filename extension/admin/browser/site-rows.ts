// The list of sites: counts the rows of each site after the page is there, one site after the other.
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

async function countAll(table: HTMLTableElement): Promise<void> {
  const route = table.dataset.countRoute ?? '';
  for (const cell of table.querySelectorAll<HTMLElement>('[data-rows-of]')) {
    const query = new URLSearchParams({ tracking_id: cell.dataset.rowsOf ?? '' });
    cell.setAttribute('aria-busy', 'true');
    try {
      const counted = countedOf(await askRest(`${route}?${query}`));
      if (counted !== undefined) show(cell, counted);
    } catch {
      // The link to the page that counts is still there.
    }
    cell.removeAttribute('aria-busy');
  }
}

const table = document.querySelector<HTMLTableElement>('table[data-count-route]');
if (table !== null) void countAll(table);
