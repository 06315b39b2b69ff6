// JSON that is written piece by piece: lists whose items come in texts, so that no one holds all of them.
import { randomUUID } from 'node:crypto';

type Texts = AsyncGenerator<Uint8Array, void, undefined>;

/** In the body of an answer: a list. The answer sets `hasLists`. */
export class JsonList<Item = unknown> {
  /** Texts of whole items with commas between them, and none at their ends. */
  constructor(readonly texts: () => Texts) {}

  /** The list of what some items at a time become. */
  mapBatches(change: (items: readonly Item[]) => readonly unknown[]): JsonList {
    const { texts } = this;
    return new JsonList(async function* () {
      for await (const text of texts())
        yield Buffer.from(JSON.stringify(change(JSON.parse(`[${text}]`))).slice(1, -1));
    });
  }
}

/** Smaller pieces are joined. */
const PIECE_BYTES = 64 * 1024;

/** The text of a JSON value with lists. A small one is one piece. */
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

/** The same as a value without lists. */
export async function wholeJson(value: unknown): Promise<unknown> {
  const texts: Uint8Array[] = [];
  for await (const text of jsonPieces(value)) texts.push(text);
  return JSON.parse(Buffer.concat(texts).toString());
}

async function* textsOf(value: unknown): Texts {
  const lists: JsonList[] = [];
  // No text of a client is the same.
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
