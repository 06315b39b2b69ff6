// Owns what a person types as the parameters of an event: a JSON object that keeps all that was written.
// Text in -> the object, or what is wrong with the text.
import { jsonLoss } from '../../import/json-loss';

/** An empty text is no parameters. */
export function readParameters(text: string): object | string {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'must be a JSON object such as {"currency": "EUR"}';
    if (Object.hasOwn(value, 'event'))
      return 'must not hold "event": the name of the event stands in the field above';
    return jsonLoss(text, value, 'outside') ?? value;
  } catch (error) {
    if (error instanceof SyntaxError) return `must be a JSON object: ${error.message}`;
    throw error;
  }
}
