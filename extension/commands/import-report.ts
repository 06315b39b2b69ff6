import { digitsOf } from '../../host-shim/extension-api';
import type { ImportReport } from '../data/import/import-options';

type ReportSum = Omit<ImportReport, 'importId' | 'preview' | 'format'> & {
  readonly formats: readonly string[];
};

export function addReports(reports: readonly ImportReport[]): ReportSum {
  const sum = (value: (report: ImportReport) => number) =>
    reports.reduce((total, report) => total + value(report), 0);
  const seconds = sum((report) => report.seconds);
  const read = sum((report) => report.read);
  const skipped: Record<string, number> = {};
  for (const report of reports)
    for (const [reason, count] of Object.entries(report.skipped))
      skipped[reason] = (skipped[reason] ?? 0) + count;
  const warning = reports.find((report) => report.warning !== undefined)?.warning;
  return {
    read,
    added: sum((report) => report.added),
    updated: sum((report) => report.updated),
    kept: sum((report) => report.kept),
    unchanged: sum((report) => report.unchanged),
    rejected: sum((report) => report.rejected),
    waiting: sum((report) => report.waiting),
    skipped,
    seconds,
    rowsPerSecond: Math.round(read / Math.max(seconds, 0.001)),
    formats: [...new Set(reports.map((report) => report.format))],
    ...(warning === undefined ? {} : { warning }),
  };
}

export function reportText(
  report: ReportSum,
  files: number,
  rejectedPaths: readonly string[],
  isDry: boolean,
): string {
  const isWritten = rejectedPaths.length > 0;
  const skipped = Object.entries(report.skipped).sort(([, a], [, b]) => b - a);
  const sum = skipped.reduce((total, [, count]) => total + count, 0);
  const lines = [
    ...(files > 1 ? [`files      ${digitsOf(files)}`] : []),
    `format     ${report.formats.join(', ')}`,
    `read       ${digitsOf(report.read)}`,
    `added      ${digitsOf(report.added)}`,
    ...(report.updated > 0 ? [`updated    ${digitsOf(report.updated)}  (replaced other values)`] : []),
    ...(report.kept > 0 ? [`kept       ${digitsOf(report.kept)}  (stored values were kept)`] : []),
    `unchanged  ${digitsOf(report.unchanged)}${report.unchanged > 0 ? '  (already stored, or repeated in the file)' : ''}`,
    ...(report.waiting > 0
      ? [`waiting    ${digitsOf(report.waiting)}  (for their page views, which are not imported yet)`]
      : []),
    ...(sum > 0 ? [`skipped    ${digitsOf(sum)}`] : []),
    ...skipped.map(([reason, count]) => `  ${digitsOf(count).padStart(9)}  ${reason}`),
    `rejected   ${digitsOf(report.rejected)}${isWritten ? `  (see ${rejectedPaths.join(', ')})` : ''}`,
    `seconds    ${report.seconds.toFixed(1)}`,
    `rows/s     ${digitsOf(report.rowsPerSecond)}`,
    ...(report.warning === undefined ? [] : [report.warning]),
    ...(isDry ? [`Nothing was ${isWritten ? 'imported' : 'written'}: this was a dry run.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
