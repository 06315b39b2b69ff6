// Updates the table in docs/reliability.md, which has a row with the latest run of each trial.
import { type Counts, FAULTS, type Trial } from './trial';

const BEGIN = '<!-- written by make torture -->';
const END = '<!-- end -->';
const HEAD = [
  `| trial | tries | ${FAULTS.join(' | ')} | seconds | also measured | date, commit, machine |`,
  `|---|${'---:|'.repeat(FAULTS.length + 2)}---|---|`,
];

/** Returns the page with the row of this trial replaced, and without the rows of deleted trials. */
export function updateTable(
  page: string,
  trials: readonly Trial[],
  trial: Trial,
  counts: Counts,
  where: string,
): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The page has no ${BEGIN} ... ${END} for the table`);
  const rows = page.slice(begin, end).split('\n');
  const rowOf = ({ name, title }: Trial) => {
    if (name !== trial.name) return rows.find((row) => row.startsWith(`| \`${name}\`: `));
    const cells = [counts.tries, ...FAULTS.map((kind) => counts[kind]), counts.seconds];
    return `| \`${name}\`: ${title} | ${cells.join(' | ')} | ${counts.notes.join('; ')} | ${where} |`;
  };
  const written = trials.map(rowOf).filter((row) => row !== undefined);
  return `${page.slice(0, begin)}${[BEGIN, '', ...HEAD, ...written, '', ''].join('\n')}${page.slice(end)}`;
}
