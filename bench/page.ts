// docs/performance.md: below its mark one part for each kind of run, each with its machine, date and commit.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** From the folder of the project, where make runs it: the program itself is compiled, and lies elsewhere. */
export const PAGE = 'docs/performance.md';
const MARK = '<!-- written by make bench: everything below this line -->';
const PART = /<!-- part: (\S+) -->/;
/** Parts in the order of the page. */
const PARTS = [
  'growth',
  ...(['10m', '3m', '1m', '100k'] as const).flatMap(
    (size) => [`${size}-goals`, size, `${size}-clients`, `${size}-load`] as const,
  ),
  'demo',
] as const;
export type Part = (typeof PARTS)[number];

/** The texts of the page's parts. */
export function partsOf(page: string): ReadonlyMap<string, string> {
  const [, below = ''] = readFileSync(page, 'utf8').split(MARK);
  // Names and texts by turns, after the text before the first name.
  const [, ...pieces] = below.split(PART);
  const parts = new Map<string, string>();
  for (let place = 0; place < pieces.length; place += 2) {
    parts.set(pieces[place] ?? '', (pieces[place + 1] ?? '').trim());
  }
  return parts;
}

/** Prints the sections and puts them into the page. */
export function publish(page: string, part: Part, title: string, sections: readonly string[]): void {
  const text = [`## ${title}`, `${describeRun()}.`, ...sections].join('\n\n');
  process.stdout.write(`${text}\n\n`);
  const [about = ''] = readFileSync(page, 'utf8').split(MARK);
  const parts = new Map([...partsOf(page), [part, text]]);
  const written = PARTS.flatMap((name) => {
    const own = parts.get(name);
    return own === undefined ? [] : [`<!-- part: ${name} -->\n\n${own}`];
  });
  writeFileSync(page, `${[about.trimEnd(), MARK, ...written].join('\n\n')}\n`);
}

/** Date, commit, machine, and how busy it was, since other work is in the numbers too. */
function describeRun(): string {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const cpu = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const machine = `${cpus().length} cores (${cpu}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const [, busy = 0] = loadavg();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${machine}, load average of the last five minutes ${busy.toFixed(1)}`;
}

/** A table of Markdown, aligned right but for the first column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** The rows of the first table below a heading of a part, by the names of their columns. */
export function tableBelow(part: string, heading: string): readonly ReadonlyMap<string, string>[] {
  const [, below = ''] = part.split(`\n${heading}\n`);
  const lines = below.split('\n');
  const start = lines.findIndex((text) => text.startsWith('| '));
  if (start < 0) return [];
  const length = lines.slice(start).findIndex((text) => !text.startsWith('| '));
  const own = lines.slice(start, length < 0 ? undefined : start + length);
  const cellsOf = (text: string) =>
    text
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const [head = '', , ...rows] = own;
  const names = cellsOf(head);
  return rows.map((row) => new Map(cellsOf(row).map((cell, place) => [names[place] ?? '', cell])));
}
