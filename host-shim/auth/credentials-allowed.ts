// Whether a password may travel on a connection: over HTTPS (also to a trusted proxy), on loopback, or locally.
import type { Request } from 'express';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** `request.ip` and `request.secure` follow X-Forwarded-* of trusted proxies only. */
export function createCredentialsRule(environment: 'local' | 'production'): (request: Request) => boolean {
  return (request) => environment === 'local' || request.secure || LOOPBACK.test(request.ip ?? '');
}
