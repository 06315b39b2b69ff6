// The lines of a dashboard's answer: its head, then each part as soon as it is known. In the end, all of them are of one state of
// the site.
import type { DashboardHead, PartAnswer } from '../shared-types/dashboard-types';

/** One reading of everything that is asked. */
export interface Reading {
  /** With the version of the site that was read before anything else. */
  readonly head: DashboardHead;
  readonly parts: readonly Promise<PartAnswer>[];
}

export interface ChangingSite {
  versionNow(): Promise<string>;
  readAgain(): Promise<Reading>;
}

const MOST_READINGS = 5;

const CHANGING = {
  code: 'data_changing',
  message: 'The data change faster than they can be read. Try again in a moment.',
};

// Versions never come back: where the one from before the reading is still there after it, nothing changed in between. The last
// part waits for that, so an answer that has all of its parts is of one state. Otherwise everything is read and sent again, with
// another head in front: by then most of a page is shown, and is replaced where it stands.
export async function* dashboardLines(
  first: Reading,
  { versionNow, readAgain }: ChangingSite,
): AsyncGenerator<Uint8Array, void, undefined> {
  let reading = first;
  for (let count = 1; ; count += 1) {
    yield line(reading.head);
    const last = yield* allButLast(reading.parts);
    if ((await versionNow()) === reading.head.version) {
      if (last !== undefined) yield line(last);
      return;
    }
    if (count === MOST_READINGS) break;
    reading = await readAgain();
  }
  yield line(reading.head);
  for (const { id, query, unfiltered } of await Promise.all(reading.parts))
    yield line({ id, query, unfiltered, error: CHANGING });
}

const line = (value: DashboardHead | PartAnswer): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`);

/** Returns the part that is known last. */
async function* allButLast(
  parts: Reading['parts'],
): AsyncGenerator<Uint8Array, PartAnswer | undefined, undefined> {
  const waiting = new Map(
    parts.map((part, place) => [place, part.then((value) => ({ place, value }))] as const),
  );
  while (waiting.size > 0) {
    const { place, value } = await Promise.race(waiting.values());
    waiting.delete(place);
    if (waiting.size === 0) return value;
    yield line(value);
  }
  return undefined;
}
