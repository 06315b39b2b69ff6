// JSON that is written in pieces. Lists are streamed, so that no list is ever held in memory as a whole.
import { randomUUID } from 'node:crypto';

type Texts = AsyncGenerator<Uint8Array, void, undefined>;

/** A list in a response body. The response must set `hasLists`. */
export class JsonList<Item = unknown> {
  /** Yields the JSON of one or more items, separated by commas, without a leading or trailing comma. */
  constructor(readonly texts: () => Texts) {}

  /** Maps the items, one batch per yielded piece. */
  mapBatches(change: (items: readonly Item[]) => readonly unknown[]): JsonList {
    const { texts } = this;
    return new JsonList(async function* () {
      for await (const text of texts())
        yield Buffer.from(JSON.stringify(change(JSON.parse(`[${text}]`))).slice(1, -1));
    });
  }
}

/** Smaller pieces are joined until they reach this size. */
const PIECE_BYTES = 64 * 1024;

/** Serializes a value that may contain JsonLists. */
export async function* jsonPieces(value: unknown): Texts {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const text of textsOf(value)) {
    waiting.push(text);
    bytes += text.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}

async function* textsOf(value: unknown): Texts {
  const lists: JsonList[] = [];
  // A random id cannot occur in a client's string.
  const mark = randomUUID();
  const text = JSON.stringify(value, (_key, inner) => {
    if (!(inner instanceof JsonList)) return inner;
    lists.push(inner);
    return mark;
  });
  for (const [place, part] of text.split(`"${mark}"`).entries()) {
    const list = place === 0 ? undefined : lists[place - 1];
    if (list !== undefined) yield* listTexts(list);
    yield Buffer.from(part);
  }
}

async function* listTexts(list: JsonList): Texts {
  let before = '[';
  for await (const text of list.texts()) {
    yield Buffer.from(before);
    yield text;
    before = ',';
  }
  yield Buffer.from(before === '[' ? '[]' : ']');
}
