// Valid requests to every endpoint that accepts input (targets.yaml), and random changes to them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { z } from 'zod';
import type { Dice } from '../../../language/interpreter/random/dice';
import { type Fields, mutateBytes, mutateFields, mutateJson, mutateText } from './mutate';

const fields = z.record(z.string(), z.string()).transform((values): Fields => Object.entries(values));
const targetSchema = z.strictObject({
  path: z.string(),
  method: z.enum(['POST', 'PUT']).optional(),
  as: z.enum(['key', 'session']).default('key'),
  query: fields.default([]),
  json: z.json().optional(),
  form: fields.optional(),
  text: z.string().optional(),
});
export type Target = z.output<typeof targetSchema>;
export const TARGETS = z
  .array(targetSchema)
  .parse(load(readFileSync(join(__dirname, 'targets.yaml'), 'utf8')));

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sent in two chunks, without Content-Length. */
  readonly inPieces: boolean;
}

const pairs = (fields: Fields): string =>
  fields.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

/** Returns the request with one or two changes. */
export function change(target: Target, dice: Dice, who: Readonly<Record<string, string>>): Sent {
  const { json, form, text, query } = target;
  const hasBody = json !== undefined || form !== undefined || text !== undefined;
  const changed = (part: 'body' | 'query') =>
    (part === 'body') === (hasBody && !(query.length > 0 && dice.chance(3)));
  const nonce: Fields = form === undefined || dice.chance(30) ? [] : [['_wpnonce', who['X-WP-Nonce'] ?? '']];
  const bodyText = (): string => {
    if (json !== undefined) return changed('body') ? mutateJson(json, dice) : JSON.stringify(json);
    if (form !== undefined) return pairs([...nonce, ...mutateFields(form, dice)]);
    return changed('body') ? mutateText(text ?? '', dice) : (text ?? '');
  };
  const plain = hasBody ? Buffer.from(bodyText()) : Buffer.alloc(0);
  const bytes = dice.chance(20) ? mutateBytes(plain, dice) : plain;
  const type =
    json !== undefined
      ? 'application/json'
      : form !== undefined
        ? 'application/x-www-form-urlencoded'
        : 'text/plain';
  const isCompressed = text !== undefined && dice.chance(4);
  const bomb = () => gzipSync(Buffer.alloc(20_000_000, dice.pick(['\n', 'x', '[', ' ['])));
  const body = isCompressed ? (dice.chance(10) ? bomb() : gzipSync(bytes)) : bytes;
  const sentQuery = changed('query') ? mutateFields(query, dice) : query;
  const path = dice.chance(25)
    ? target.path.replace(/[^/]+$/, encodeURIComponent(mutateText('x', dice).toWellFormed()))
    : target.path;
  return {
    method: target.method ?? (hasBody ? 'POST' : 'GET'),
    path: `${path.slice(0, 9_000)}${sentQuery.length > 0 ? `?${pairs(sentQuery).slice(0, 6_000)}` : ''}`,
    headers: {
      ...who,
      Accept: dice.chance(10)
        ? dice.pick(['*/*', 'text/csv', 'x', ',;q='])
        : 'application/json, text/event-stream, text/html',
      ...(hasBody && {
        'Content-Type': dice.chance(25)
          ? dice.pick(['', 'text/html', 'application/json; charset=x', 'multipart/form-data'])
          : type,
      }),
      ...((isCompressed || dice.chance(40)) && {
        'Content-Encoding': isCompressed ? 'gzip' : dice.pick(['gzip', 'br', 'x']),
      }),
    },
    body,
    inPieces: body.length > 0 && dice.chance(10),
  };
}
