import type { SavedQuery } from '../../shared-types/saved-types';
import { fetchAs, fetchRest } from '../shared/rest';
import { isObject } from '../shared/rest-answer';
import { pagesRoute } from './question';

export interface SavedText extends SavedQuery {
  readonly text: string;
}

interface SavedFields {
  readonly name: string;
  readonly text: string;
  readonly version: string;
  readonly shared: boolean;
}

const isSaved = (body: unknown): body is SavedQuery =>
  isObject(body) && 'revision' in body && 'owner' in body;

const isList = (body: unknown): body is { readonly queries: readonly unknown[] } =>
  isObject(body) && Array.isArray(body.queries);

const hasText = (body: unknown): body is SavedText => isSaved(body) && 'text' in body;

export const savedAddress = (id: number): string => `${location.pathname}?query=${id}`;

const ALL = 'saved-queries';
const oneOf = (id: number | string, args?: Readonly<Record<string, string>>): string =>
  pagesRoute(`${ALL}/${encodeURIComponent(id)}`, args);

export async function listSaved(): Promise<readonly SavedQuery[]> {
  const { queries } = await fetchAs(isList, pagesRoute(ALL));
  return queries.filter(isSaved);
}

export async function fetchSaved(id: number | string): Promise<SavedText> {
  const saved = await fetchAs(hasText, oneOf(id));
  // The editor uses only \n.
  return { ...saved, text: saved.text.replace(/\r\n?/g, '\n') };
}

export const addSaved = (fields: SavedFields): Promise<SavedQuery> =>
  fetchAs(isSaved, pagesRoute(ALL), { body: JSON.stringify(fields) });

export const changeSaved = (
  { id, revision }: SavedQuery,
  fields: Partial<SavedFields>,
): Promise<SavedQuery> => fetchAs(isSaved, oneOf(id), { body: JSON.stringify({ ...fields, revision }) });

export const removeSaved = ({ id, revision }: SavedQuery): Promise<object> =>
  fetchRest(oneOf(id, { revision: String(revision) }), { method: 'DELETE' });
