import { element, headCell, pairs, row, scrollingTable } from '../shared/elements';
import { exactNumber } from '../shared/exact-number';
import { messageOf } from '../shared/rest';
import { isObject, type JsonObject } from '../shared/rest-answer';

const COUNTS = [
  ['read', 'Rows read', 'Rows read'],
  ['added', 'Added', 'Would add'],
  ['updated', 'Updated', 'Would update'],
  ['kept', 'Kept', 'Would keep'],
  ['unchanged', 'Unchanged', 'Unchanged'],
  ['rejected', 'Rejected', 'Would reject'],
] as const;

const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

const countIn = (value: unknown): string => exactNumber(Number(value));

function tableOf(label: string, rows: readonly JsonObject[]): HTMLElement {
  const names = [...new Set(rows.flatMap((one) => Object.keys(one)))];
  const lines = rows.map((one) => row(names.map((name) => element('td', shown(one[name])))));
  return scrollingTable(label, row(names.map((name) => headCell(name))), element('tbody', lines));
}

interface Addresses {
  readonly imports?: string | undefined;
  readonly dashboard?: string | undefined;
}

export function showReport(
  place: HTMLElement,
  report: JsonObject,
  { imports = '', dashboard = '' }: Addresses,
): void {
  const id = report.import_id;
  const isCheck = id === null;
  const title = element('h2', isCheck ? 'Preview: nothing was stored' : 'Imported', '', { tabindex: -1 });
  const counts = COUNTS.map(([key, done, would]) => [isCheck ? would : done, countIn(report[key])] as const);
  const skipped = isObject(report.skipped) ? Object.entries(report.skipped) : [];
  const skippedLines = skipped.map(([reason, rows]) => [`Skipped: ${reason}`, countIn(rows)] as const);
  const preview = objectsIn(report.preview);
  const rejected = objectsIn(report.rejected_rows);
  place.replaceChildren(title, pairs([['Format', String(report.format)], ...counts, ...skippedLines]));
  if (typeof report.warning === 'string') place.append(element('p', report.warning, 'warning'));
  if (preview.length > 0) place.append(element('h3', 'The first rows'), tableOf('The first rows', preview));
  if (rejected.length > 0)
    place.append(
      element('h3', 'Rejected rows'),
      element('p', [
        `The first ${countIn(rejected.length)} of ${countIn(report.rejected)}. `,
        rejectedRowsLink(rejected),
      ]),
      tableOf('Rejected rows', rejected),
    );
  if (!isCheck) {
    const query = new URLSearchParams({ site: String(report.site), imported: '1' });
    const next = [
      element('a', 'See your dashboard', 'button', { href: `${dashboard}?${query}` }),
      ' ',
      element('a', `Import ${id}`, '', { href: `${imports}/${id}` }),
    ];
    title.after(
      element('p', 'The data is stored. The whole import can be undone.', 'notice'),
      element('p', next, 'actions'),
    );
  }
  title.focus();
}

export const failure = (error: unknown): HTMLElement =>
  element('p', messageOf(error), 'fault', { role: 'alert' });

export const showFailure = (place: HTMLElement, error: unknown): void =>
  place.replaceChildren(failure(error));

function rejectedRowsLink(rows: readonly JsonObject[]): HTMLAnchorElement {
  const text = rows.map((one) => `${JSON.stringify(one)}\n`).join('');
  const href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }));
  return element('a', 'Download them', '', { href, download: 'rejected.ndjson' });
}
