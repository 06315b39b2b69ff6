import type { Readable } from 'node:stream';
import type { AddressQuery, AuthOutcome, Enter } from '../auth/authentication';
import type { HostRequest, HostUser } from '../extension-api';
import type { BodyOutcome } from './read-body';
import { asTexts, writeQuery } from './route-address';
import { type Installation, rootOf } from './self-description';

export interface RestRequest
  extends Pick<
    HostRequest,
    'headers' | 'callerAddress' | 'accepts' | 'id' | 'method' | 'signal' | 'onClose'
  > {
  readonly query: AddressQuery;
  readonly route: string;
  readonly installation: Installation;
  authenticate(enter?: Enter): Promise<AuthOutcome>;
  /** Routes with declared parameters accept a form as well as JSON. */
  readBody(accepts: 'json' | 'json-or-form'): Promise<BodyOutcome>;
  /** Throws a RestError for an unsupported encoding. */
  openBody(): Readable;
}

/** `path` is the route's path without its namespace. */
export function hostRequest(
  { request, params, ahead }: Pick<HostRequest, 'params' | 'ahead'> & { readonly request: RestRequest },
  path: string,
  user: HostUser | null,
  body = '',
): HostRequest {
  const { id, query, headers, callerAddress, accepts, signal, installation } = request;
  return {
    id,
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path,
    params,
    query: asTexts(query),
    search: writeQuery(query),
    headers,
    callerAddress,
    accepts,
    home: installation.home,
    restRoot: rootOf(installation),
    credentialsAllowed: installation.credentialsAllowed,
    body,
    user,
    ahead,
    signal,
    onClose: request.onClose,
  };
}
