// The bounds of a JSON record, found in its text before it is parsed.
import { MOST_COLUMNS, MOST_LEVELS, MOST_VALUES } from '../limits';

const [QUOTE, COMMA, COLON, LIST, BACKSLASH, OBJECT] = [34, 44, 58, 91, 92, 123];

/** Why a JSON record is not parsed, from its text alone; undefined if it is. */
export function jsonBoundFault(text: string): string | undefined {
  // A value has a character and what divides it from the next one; a level begins and ends.
  if (text.length < 2 * MOST_LEVELS) return undefined;
  let values = 0;
  let isInText = false;
  /** The keys of each open object; a list has none. */
  const keys: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === LIST || code === OBJECT) {
      values += 1;
      if (values > MOST_VALUES) return `has more than ${MOST_VALUES} values`;
      if (code !== COMMA && keys.push(0) > MOST_LEVELS) return `nests more than ${MOST_LEVELS} levels deep`;
    } else if (code === COLON) {
      const count = (keys.pop() ?? 0) + 1;
      if (count > MOST_COLUMNS) return `has an object with more than ${MOST_COLUMNS} keys`;
      keys.push(count);
    } else if (code === LIST + 2 || code === OBJECT + 2) keys.pop();
  }
  return undefined;
}
