// Whether passwords and session cookies may travel on a connection: over HTTPS (also to a trusted proxy), on this machine, or locally.
// The one place that decides it; whoever reads a password or a cookie asks here before it counts.
import type { Request } from 'express';
import { isFromThisMachine } from './caller-address';

/** Whether credentials of any kind may travel on the connection of a request. */
export type CredentialsRule = (request: Request) => boolean;

/** Said where an application password came over a connection that may not carry it. */
export const PASSWORD_OVER_PLAIN_HTTP =
  'Credentials are accepted over HTTPS only: use https, name the proxy in front in TRUST_PROXY, or set QAL_ENVIRONMENT=local on a machine of your own.';

/** Said where somebody would log in, or is logged in, over such a connection. */
export const LOGIN_OVER_PLAIN_HTTP =
  'Nobody can log in over plain HTTP from another machine: use https, name the proxy in front in TRUST_PROXY, or set QAL_ENVIRONMENT=local on a machine of your own.';

/** `request.secure` follows X-Forwarded-Proto of trusted proxies only. */
export function createCredentialsRule(environment: 'local' | 'production'): CredentialsRule {
  return (request) => environment === 'local' || request.secure || isFromThisMachine(request);
}
