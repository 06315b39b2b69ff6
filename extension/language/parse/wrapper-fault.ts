import { type QueryError, queryError } from '../errors/query-error';
import type { Contract } from '../types/contract';
import { isJsonObject, valueAt } from '../types/json';
import { formatPath } from '../types/path';
import { remove } from '../types/repair';
import type { QueryDocument } from './read-document';

export const notAnObject = ({ value }: QueryDocument, at: string | undefined): QueryError =>
  queryError('E_INVALID_JSON not-object', at, { received: at === undefined ? value : valueAt(value, [at]) });

/** The error in the wrapper `{"qal": ...}`, which is optional. */
export function wrapperFault(
  document: QueryDocument,
  { contract: { version } }: { readonly contract: Contract },
): QueryError | null {
  const { value } = document;
  if (!isJsonObject(value)) return notAnObject(document, undefined);
  if (value.qal === undefined) return null;
  const others = Object.keys(value).filter((other) => other !== 'qal');
  const [key] = others;
  if (key === undefined) return isJsonObject(value.qal) ? null : notAnObject(document, 'qal');
  const sent = value[key];
  const hasNoEffect = (other: string) => other === 'version' && value[other] === version;
  const given = { key, keys: ['qal'], version: typeof sent === 'string' ? sent.slice(0, 10) : 'latest' };
  const hint = key === 'version' ? 'other version' : 'next to qal';
  const repair = hasNoEffect(key)
    ? { certain: others.every(hasNoEffect), edits: [remove([key])] }
    : undefined;
  return queryError('E_UNKNOWN_FIELD', formatPath([key]), { ...given, hint }, repair);
}
