// The lines of a response: its head, then each part as soon as it is available. In a complete response, all parts are from
// one version of the site.
import type { DashboardHead, PartAnswer } from '../shared-types/dashboard-types';

/** One attempt to read all parts. */
export interface Reading {
  /** The version in the head was read before anything else. */
  readonly head: DashboardHead;
  readonly parts: readonly Promise<PartAnswer>[];
}

export interface ChangingSite {
  versionNow(): Promise<string>;
  readAgain(): Promise<Reading>;
}

const MAX_READINGS = 5;

const CHANGING = {
  code: 'data_changing',
  message: 'The data changes faster than it can be read. Try again in a moment.',
};

// Versions never repeat: if the version is the same before and after reading, nothing changed in between. The
// last part waits for that check, so a complete response is from one version. If something changed, everything is read
// again and sent after a new head, and the page replaces what it already shows.
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
    if (count === MAX_READINGS) break;
    reading = await readAgain();
  }
  yield line(reading.head);
  for (const { id, query, unfiltered } of await Promise.all(reading.parts))
    yield line({ id, query, unfiltered, error: CHANGING });
}

const line = (value: DashboardHead | PartAnswer): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`);

/** Yields the parts as they arrive, except for the last one, which it returns. */
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
