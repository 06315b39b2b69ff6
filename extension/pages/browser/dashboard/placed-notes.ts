// Places notes on the chart by day.
import type { DashboardHead, Note, Step } from '../../shared-types/dashboard-types';
import { dayInWords } from '../shared/dates-in-words';

export interface PlacedNote {
  readonly note: Note;
  /** Index of the point that includes the note's day. */
  readonly at: number;
}

function pointAt(step: Step, points: readonly string[], day: string): number {
  if (step === 'hour') return points.indexOf(`${day} 0`);
  const start = step === 'month' ? day.slice(0, 7) : day;
  return points.findLastIndex((point) => point <= start);
}

/** Keeps the order of the notes. */
export const placedNotes = ({
  step,
  chart,
  notes = [],
}: Pick<DashboardHead, 'step' | 'chart' | 'notes'>): readonly PlacedNote[] =>
  notes.map((note) => ({ note, at: pointAt(step, chart.points, note.day) })).filter(({ at }) => at >= 0);

export const noteInWords = ({ day, text }: Note): string => `${dayInWords(day)}: ${text}`;

interface Mark {
  readonly x: number;
  readonly notes: readonly Note[];
}

/** Notes whose marks would overlap share one mark. */
export function marksBelow(
  placed: readonly PlacedNote[],
  x: (at: number) => number,
  minDistance: number,
): readonly Mark[] {
  const marks: { readonly x: number; readonly notes: Note[] }[] = [];
  for (const { note, at } of placed) {
    const last = marks.at(-1);
    if (last !== undefined && x(at) - last.x < minDistance) last.notes.push(note);
    else marks.push({ x: x(at), notes: [note] });
  }
  return marks;
}
