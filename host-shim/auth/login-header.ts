// Logs users in through a proxy, which names the account in a header. The header is ignored unless the proxy made the connection.
import type { Request } from 'express';
import type { Knex } from 'knex';
import { findLogin } from '../accounts/accounts';
import type { Log } from '../extension-api';
import { isWithinRanges } from './address-ranges';
import { callerAddress, peerAddress } from './caller-address';

export interface LoginHeader {
  readonly name: string;
  /** Addresses and ranges of the proxies. */
  readonly from: readonly string[];
}

/** Returns undefined if the request has no such header, or does not come from one of the proxies. */
export function namedAccount(request: Request, header: LoginHeader | undefined): string | undefined {
  if (header === undefined || !isWithinRanges(peerAddress(request), header.from)) return undefined;
  return request.get(header.name)?.trim() || undefined;
}

export const isSameLogin = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

export type HeaderLogin =
  | { readonly kind: 'none' }
  | { readonly kind: 'user'; readonly named: string; readonly userId: number; readonly passwordHash: string }
  /** The account does not exist or is disabled. */
  | { readonly kind: 'unknown'; readonly named: string };

interface HeaderLoginOptions {
  readonly write: Knex;
  readonly log: Log;
  readonly loginHeader: LoginHeader | undefined;
}

/** Finds accounts by login only: users choose their e-mail addresses themselves. */
export function createHeaderLogin({ write, log, loginHeader }: HeaderLoginOptions) {
  return async (request: Request): Promise<HeaderLogin> => {
    const named = namedAccount(request, loginHeader);
    if (named === undefined) return { kind: 'none' };
    const account = await findLogin(write, named);
    if (account !== undefined && isSameLogin(account.login, named) && !account.disabled)
      return { kind: 'user', named, userId: account.userId, passwordHash: account.passwordHash };
    log.warn(
      { requestId: request.id, address: callerAddress(request), login: account?.login ?? null },
      'A proxy named an account that does not exist or is disabled.',
    );
    return { kind: 'unknown', named };
  };
}
