// The table of docs/reliability.md: a row for each trial, of its newest run.
import { type Counts, FAULTS, type Trial } from './trial';

const BEGIN = '<!-- written by make torture -->';
const END = '<!-- end -->';
const HEAD = [
  `| trial | tries | ${FAULTS.join(' | ')} | seconds | measured beside it | date, commit, machine |`,
  `|---|${'---:|'.repeat(FAULTS.length + 2)}---|---|`,
];

/** The page with the row of this trial renewed; rows of trials that are not there any more leave. */
export function updateTable(
  page: string,
  trials: readonly Trial[],
  trial: Trial,
  counts: Counts,
  where: string,
): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The page has no place for the table: ${BEGIN} ... ${END}`);
  const rows = page.slice(begin, end).split('\n');
  const rowOf = ({ name, title }: Trial) => {
    if (name !== trial.name) return rows.find((row) => row.startsWith(`| \`${name}\`: `));
    const cells = [counts.tries, ...FAULTS.map((kind) => counts[kind]), counts.seconds];
    return `| \`${name}\`: ${title} | ${cells.join(' | ')} | ${counts.notes.join('; ')} | ${where} |`;
  };
  const written = trials.map(rowOf).filter((row) => row !== undefined);
  return `${page.slice(0, begin)}${[BEGIN, '', ...HEAD, ...written, '', ''].join('\n')}${page.slice(end)}`;
}
