// The step between choosing a file and importing it: shows the file's format, what its columns are imported as, and all errors in its
// first rows.
import type { ColumnFault, FileColumns } from '../../shared-types/file-columns';
import { copyable, element, headCell, replaceKeepingFocus, row, scrollingTable } from '../shared/elements';
import { fetchAs } from '../shared/rest';
import { isObject } from '../shared/rest-answer';

const START_BYTES = 48 * 1024;

export interface FileStart {
  readonly start: string;
  readonly isWhole: boolean;
}

/** The decompressed beginning of a file, and whether that is all of it. */
export async function readStart(file: File): Promise<FileStart> {
  const isCompressed = file.name.endsWith('.gz');
  const stream: ReadableStream<Uint8Array> = isCompressed
    ? file.stream().pipeThrough(new DecompressionStream('gzip'))
    : file.slice(0, START_BYTES + 1).stream();
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let start = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { start: start + decoder.decode(), isWhole: true };
    const left = START_BYTES - bytes;
    start += decoder.decode(value.subarray(0, left), { stream: true });
    bytes += value.length;
    if (bytes > START_BYTES) {
      await reader.cancel();
      return { start, isWhole: false };
    }
  }
}

const isFileColumns = (body: unknown): body is FileColumns =>
  isObject(body) && (typeof body.format === 'string' || body.format === null) && Array.isArray(body.faults);

interface RequestedColumns extends FileStart {
  readonly site: string;
  readonly dataset: string;
  readonly file: string;
  readonly format: string;
  readonly timezone: string;
  readonly columns?: readonly { readonly name: string; readonly to: string }[];
}

export const fetchColumns = (route: string, requested: RequestedColumns): Promise<FileColumns> =>
  fetchAs(isFileColumns, route, { body: JSON.stringify(requested) });

function faultLine({ message, column, value, line, rows = 1 }: ColumnFault): HTMLElement {
  const where = column === undefined || column === null ? [] : [element('code', column), ' '];
  const what = value === undefined || value === null ? [] : [element('code', value), ' '];
  const count =
    line === undefined ? '' : rows > 1 ? ` (${rows} rows, the first on line ${line})` : ` (line ${line})`;
  return element('li', [...where, ...what, `${message}${count}`]);
}

/** Calls `choose` with all columns when the user changes one. */
export function showColumns(
  place: HTMLElement,
  { format, about = '', columns, targets = [], faults, command }: FileColumns,
  choose: (columns: readonly { readonly name: string; readonly to: string }[]) => void,
): void {
  const parts: HTMLElement[] = [];
  if (format !== null)
    parts.push(
      element(
        'p',
        ['Format: ', element('strong', format), about === '' || columns !== undefined ? '' : `, ${about}`],
        'small muted',
      ),
    );
  if (columns !== undefined) {
    const selects = columns.map(({ name, to }, at) => {
      const options = targets.map(({ value, label, about: title = '' }) => {
        const option = new Option(label, value, false, value === to);
        option.title = title;
        return option;
      });
      return element('select', options, '', {
        'aria-label': `${name} is imported as`,
        'data-key': `column ${at}`,
      });
    });
    for (const select of selects)
      select.addEventListener('change', () =>
        choose(columns.map(({ name }, at) => ({ name, to: selects[at]?.value ?? '' }))),
      );
    const lines = columns.map(({ name, samples }, at) =>
      row([
        element('th', element('code', name), 'text', { scope: 'row' }),
        element('td', samples.join(', '), 'text small', { 'data-label': 'First values' }),
        element('td', selects[at] ?? '', '', { 'data-label': 'Imported as' }),
      ]),
    );
    const head = row([headCell('Column'), headCell('First values'), headCell('Imported as')]);
    parts.push(
      element('h2', 'Columns'),
      scrollingTable('Columns of the file', head, element('tbody', lines), 'stacked'),
    );
  }
  parts.push(
    faults.length === 0
      ? element('p', 'The first rows can be imported.', 'notice', { role: 'status' })
      : element(
          'div',
          [
            element(
              'p',
              `${faults.length === 1 ? 'One error' : `${faults.length} errors`} in the first rows:`,
            ),
            element('ul', faults.map(faultLine)),
          ],
          'fault',
          { role: 'alert' },
        ),
  );
  if (command !== undefined) {
    const line = copyable('import-command', command, { role: 'region', 'aria-label': 'Command' });
    parts.push(element('details', [element('summary', 'Do the same on the command line'), line], 'field'));
  }
  place.hidden = false;
  replaceKeepingFocus(place, parts);
}
