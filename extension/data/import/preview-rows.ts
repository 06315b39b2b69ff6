// The first rows of a file as they will be stored, for a preview before the import.
import { isKnown, OF_VIEW } from './derive/derive-views';
import type { RowSink } from './formats/read-rows';
import { readOr } from './import-error';
import type { TimeParser } from './parse-time';

export type PreviewRow = Readonly<Record<string, unknown>>;

/** Wraps the sink so that it also collects the first rows that pass their format's check. */
export function previewing(sink: RowSink, max: number, parseTime: TimeParser, rows: PreviewRow[]): RowSink {
  return {
    ...sink,
    row(row, line, origin) {
      sink.row(row, line, origin);
      if (rows.length >= max) return;
      rows.push(
        Object.fromEntries(
          Object.entries(row)
            .filter(([, value]) => isKnown(value))
            .map(([name, value]) => shown(name, value, parseTime)),
        ),
      );
    },
  };
}

/** View-level columns are shown as visit columns, which is correct if the view is the first of its visit. */
function shown(name: string, value: unknown, parseTime: TimeParser): readonly [string, unknown] {
  if (name.startsWith(OF_VIEW)) return [name.slice(OF_VIEW.length), value];
  if (name !== 'access_time') return [name, value];
  const at = readOr(parseTime, value, undefined);
  return [name, at === undefined ? value : new Date(at * 1000).toISOString()];
}
