// Markdown tables and readable numbers.

/** A Markdown table in which all columns but the first are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

export const whole = (value: number): string => Math.round(value).toLocaleString('en');

/** Three significant digits: 0.042, 1.23, 45.6, 1,230. */
export function short(value: number): string {
  if (value >= 100) return whole(value);
  if (value >= 10) return value.toFixed(1);
  return value >= 1 ? value.toFixed(2) : value.toFixed(3);
}
