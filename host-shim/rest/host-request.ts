// A REST request as the handlers of routes get it.
// The query is put into single texts here: only the host's own reading of parameters knows lists.
import type { HostRequest, HostUser } from '../extension-api';
import type { RestRequest } from './dispatch';
import type { Values } from './read-values';
import { asTexts, writeQuery } from './route-address';
import { rootOf } from './self-description';

/** `path` is that of the route, below its namespace. */
export function hostRequest(
  { request, params }: { readonly request: RestRequest; readonly params: HostRequest['params'] },
  path: string,
  user: HostUser | null,
  said: { readonly body: string; readonly values: Values } = { body: '', values: {} },
): HostRequest {
  const { id, query, headers, signal, installation } = request;
  return {
    id,
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path,
    params,
    query: asTexts(query),
    search: writeQuery(query),
    headers,
    home: installation.home,
    restRoot: rootOf(installation),
    credentialsAllowed: installation.credentialsAllowed,
    ...said,
    user,
    signal,
  };
}
