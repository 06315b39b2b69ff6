// Skips erased visitors' rows from before the erasure, which imports never bring back. Rows are held until there are enough to
// fill a batch; one query then looks up the hashes of what identifies their visitors.
import { type DigestKind, digester, erasedAt, erasureKey, namedAs } from '../removal/erasure-digests';
import type { RawRow } from '../rows/row-batch';
import { hasErasures } from '../storage/sites/import-rules';
import { memoized } from './bounded-maps';
import { isKnown } from './derive/derive-views';
import type { Turns } from './event-loop-turns';
import { charactersOf, type Flow } from './fill-batches';
import { readOr } from './import-error';
import type { LoaderContext } from './loader-context';
import { idParser } from './parse-value';

/** The reason for skipping an erased visitor's rows, as reports show it. */
const OF_ERASED = 'rows of erased visitors';

/** The columns that can identify a visitor, a visit or a page view. */
const NAMING: Readonly<Record<string, (value: unknown) => DigestKind>> = {
  original_id: () => 'name',
  reader_id: (value) => (isNumber(value) ? 'number' : 'name'),
  'view.reader_id': () => 'number',
  pv_id: () => 'pv_id',
  session_id: () => 'session_id',
};

const VISITOR = ['original_id', 'reader_id', 'view.reader_id'];

/**
 * A click or event without a time is as old as its page view, so it is identified only by that view: the visitor may have newer
 * views. A visit may have several visitors, so it only identifies rows without a visitor.
 */
function namingColumns(row: RawRow, isOfView: boolean): readonly string[] {
  if (isOfView && isKnown(row.pv_id) && !isKnown(row.access_time)) return ['pv_id'];
  return VISITOR.some((column) => isKnown(row[column])) ? [...VISITOR, 'pv_id'] : ['pv_id', 'session_id'];
}

/** The strings that are hashed to identify the visitor of a row. */
const namesIn = (row: RawRow, isOfView: boolean): readonly string[] =>
  namingColumns(row, isOfView).flatMap((column) => {
    const value = row[column];
    const kind = isKnown(value) ? NAMING[column]?.(value) : undefined;
    return kind === undefined ? [] : [namedAs(kind, String(value))];
  });

const parseId = idParser({});

/** Whether imports store the id as a number: "007" is text. */
const isNumber = (value: unknown): boolean => typeof readOr(parseId, value, undefined) === 'number';

interface Held {
  /** Hashes of what identifies the visitor of a row. */
  readonly digests: readonly string[];
  /** Undefined for anything that is always passed on. */
  readonly row: RawRow | undefined;
  pass(): void;
}

const RECENT = 20_000;
const NEVER = Number.NEGATIVE_INFINITY;

/** Wraps a flow so that it skips erased visitors' rows. Returns the flow itself if no visitor of the site was erased. */
export async function skipErased(
  flow: Flow,
  { client, siteId, material, parseTime, limits }: LoaderContext,
  turns: Turns,
): Promise<Flow> {
  if (!(await hasErasures(client, siteId))) return flow;
  const { sink } = flow;
  const isOfView = material.parent !== undefined;
  const digestOf = memoized(RECENT, digester(await erasureKey(client, siteId)));
  let held: Held[] = [];
  let characters = 0;

  /** A row without a valid time may be from before the erasure. */
  const timeOf = ({ access_time: time }: RawRow): number => readOr(parseTime, time, NEVER);

  const release = async (): Promise<void> => {
    const passed = held;
    [held, characters] = [[], 0];
    // The loader uses the same connection.
    await flow.written();
    const erased = await erasedAt(client, siteId, new Set(passed.flatMap(({ digests }) => digests)));
    for (const { digests, row, pass } of passed) {
      const at = Math.max(NEVER, ...digests.map((digest) => erased.get(digest) ?? NEVER));
      if (row !== undefined && at !== NEVER && timeOf(row) < at) sink.skip(OF_ERASED);
      else pass();
      if (sink.full()) await sink.drain();
      if (turns.isOver()) await turns.next();
    }
  };

  const hold = (length: number, pass: () => void, row?: RawRow): void => {
    characters += length;
    const digests = row === undefined ? [] : namesIn(row, isOfView).map(digestOf);
    held.push({ row, digests, pass });
  };

  return {
    ...flow,
    sink: {
      header: sink.header,
      row: (row, line, origin) => hold(charactersOf(origin), () => sink.row(row, line, origin), row),
      wrong: (fault, line, origin) => hold(charactersOf(origin), () => sink.wrong(fault, line, origin)),
      broken: (text, line, reason) => hold(text.length, () => sink.broken(text, line, reason)),
      skip: sink.skip,
      full: () => held.length >= limits.batchRows || characters >= limits.batchCharacters,
      drain: release,
    },
    async finish() {
      await release();
      await flow.finish();
    },
  };
}
