// The page with the raw tables: milliseconds for each form, and bytes for each table and index.
import { FORM_NAMES } from '../forms';
import { RANGES } from '../queries';
import type { Results } from '../results';
import { msOf, rowsOverHand } from './ratios';
import type { Run } from './run';
import { short, table, whole } from './table';

export function rawSections({ about, results }: Run): readonly string[] {
  return [
    '# Performance: raw tables',
    `Written by \`make bench\`; [performance](performance.md) explains the figures. ${about}`,
    'Medians in milliseconds. *statement* is the part of *rows* in which PostgreSQL ran the query; *ns per row* is *statement* per page view in range, for questions that count all of them.',
    ...RANGES.flatMap((days) => [`## ${days} days`, rangeTable(results, days)]),
    ...diskSections(results),
  ];
}

function rangeTable({ questions }: Results, days: number): string {
  const compared = Object.values(questions)
    .flat()
    .filter((one) => one.days === days);
  return table(
    ['question', 'result rows', ...FORM_NAMES, 'statement', 'statement : hand', 'ns per row'],
    compared.map((one) => {
      const statement = one.times.rows?.statement?.median;
      const overHand = rowsOverHand(one);
      return [
        one.query,
        String(one.rows),
        ...FORM_NAMES.map((form) => {
          if (one.times[form] === undefined) return '';
          const ms = msOf(one, form);
          return ms === undefined ? 'timed out' : ms.toFixed(1);
        }),
        statement === undefined ? '' : statement.toFixed(1),
        overHand === undefined ? '' : overHand.toFixed(2),
        statement === undefined || one.views === undefined ? '' : whole((statement * 1e6) / one.views),
      ];
    }),
  );
}

function diskSections({ stored }: Results): readonly string[] {
  if (stored === undefined) return [];
  const { views } = stored.counts;
  return [
    '## On disk',
    table(
      ['table', 'rows or index', 'MB', 'bytes per page view'],
      stored.relations.map(({ table: name, name: relation, bytes }) => [
        name,
        relation === name ? 'rows' : relation,
        (bytes / 1e6).toFixed(1),
        short(bytes / views),
      ]),
    ),
  ];
}
