// Reads what of an answer is a time: days, months, hours of the day and seconds, and puts their labels in order.
// Steps that have no row are among them, as far as the span is not too long to draw.
import type { Cell } from './sort-rows';

export type Unit = 'day' | 'month' | 'second' | 'hour';

const FORMS: readonly (readonly [unit: Unit, form: RegExp])[] = [
  ['day', /^\d{4}-\d{2}-\d{2}$/],
  ['month', /^\d{4}-\d{2}$/],
  ['second', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/],
];

const isHour = (value: Cell): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 24;

/** What the values of a column are as times; undefined when they are none. */
export function unitOf(name: string, values: readonly Exclude<Cell, null>[]): Unit | undefined {
  if (values.length === 0) return undefined;
  if (/(^|_)hour$/.test(name) && values.every(isHour)) return 'hour';
  return FORMS.find(([, form]) =>
    values.every((value) => typeof value === 'string' && form.test(value)),
  )?.[0];
}

const DAY_MS = 86_400_000;
/** Longer spans are drawn without the days that have no row. */
const MOST_FILLED = 2_000;

/** So that the order of texts is the order of hours. */
const hourLabel = (hour: number): string => String(hour).padStart(2, '0');

/** What comes after a label, where every step of the unit is shown. */
const NEXT: Readonly<Record<Exclude<Unit, 'second'>, (label: string) => string>> = {
  day: (day) => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10),
  month: (month) => new Date(Date.parse(`${month}-28`) + 5 * DAY_MS).toISOString().slice(0, 7),
  hour: (hour) => hourLabel(Number(hour) + 1),
};

/** The labels in order, with the steps between them that have no row. */
export function timeLabels(found: Iterable<string>, unit: Unit): readonly string[] {
  const labels = [...new Set(found)].sort();
  const last = labels.at(-1);
  let label = labels[0];
  // A text such as 2026-99-99 looks like a day and is none.
  const isUnreal = unit !== 'hour' && labels.some((it) => Number.isNaN(Date.parse(it)));
  if (unit === 'second' || isUnreal || label === undefined || last === undefined) return labels;
  const filled = [label];
  while (label < last && filled.length <= MOST_FILLED) {
    label = NEXT[unit](label);
    filled.push(label);
  }
  return filled.length > MOST_FILLED ? labels : filled;
}

/** How a time is written below its point; undefined for a row without one. */
export const timeLabel = (cell: Cell | undefined): string | undefined =>
  typeof cell === 'number' ? hourLabel(cell) : (cell ?? undefined);
