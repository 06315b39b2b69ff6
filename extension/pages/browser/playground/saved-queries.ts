import type { SavedQuery } from '../../shared-types/saved-types';
import { fetchRest, type RestRequest } from '../shared/rest';
import { isObject, type JsonObject, NO_ANSWER } from '../shared/rest-answer';

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

function savedIn(body: JsonObject): SavedQuery {
  if (isSaved(body)) return body;
  throw new Error(NO_ANSWER);
}

export const savedAddress = (id: number): string => `${location.pathname}?query=${id}`;

export function savedQueries(namespace: string) {
  const send = (path: string, request?: RestRequest) =>
    fetchRest(`${namespace}-pages/saved-queries${path}`, request);
  const post = async (path: string, fields: object) =>
    savedIn(await send(path, { body: JSON.stringify(fields) }));
  return {
    async list(): Promise<readonly SavedQuery[]> {
      const { queries } = await send('');
      if (!Array.isArray(queries)) throw new Error(NO_ANSWER);
      return queries.filter(isSaved);
    },
    async open(id: string): Promise<SavedText> {
      const body = await send(`/${encodeURIComponent(id)}`);
      // The editor uses only \n.
      return { ...savedIn(body), text: String(body.text).replace(/\r\n?/g, '\n') };
    },
    add: (fields: SavedFields) => post('', fields),
    change: ({ id, revision }: SavedQuery, fields: Partial<SavedFields>) =>
      post(`/${id}`, { ...fields, revision }),
    async remove({ id, revision }: SavedQuery): Promise<void> {
      await send(`/${id}?revision=${revision}`, { method: 'DELETE' });
    },
  };
}
