// Reads the answer to the query of a panel: status + body -> its table, or the fault in words.
import { isObject, NO_ANSWER, type Refusal, sessionRefusal } from '../data/refusal';
import type { RestAnswer } from '../data/rest-answer';
import type { Table } from './panel-data';

export type Answer =
  | { readonly kind: 'table'; readonly table: Table }
  | ({ readonly kind: 'fault' } & Refusal);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function tableOf(body: unknown): Table | undefined {
  const result = isObject(body) ? body.result : undefined;
  if (!isObject(result) || !Array.isArray(result.columns) || !Array.isArray(result.rows)) return undefined;
  return {
    columns: result.columns.map((column) => (isObject(column) ? textOf(column.name) : textOf(column))),
    rows: result.rows.filter((row) => Array.isArray(row)),
  };
}

/** What an answer says; `here` is the address of the page. */
export function readPanelAnswer(rest: RestAnswer, here: string): Answer {
  const refusal = sessionRefusal(rest, here);
  if (refusal !== undefined) return { kind: 'fault', ...refusal };
  const { status, body } = rest;
  if (status === 200) {
    const table = tableOf(body);
    return table === undefined ? { kind: 'fault', message: NO_ANSWER } : { kind: 'table', table };
  }
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  const { message, hint } = isObject(error) ? error : {};
  const told = [textOf(message) || `The server answered with status ${status}.`, textOf(hint)];
  return { kind: 'fault', message: told.filter((text) => text !== '').join(' ') };
}
