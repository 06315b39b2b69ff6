import { Client } from 'pg';
import { z } from 'zod';
import { type DatabaseIdentity, isReplica, lookAt } from './same-database';
import { isUnavailable } from './unavailable';

const PARTS = /^(\w+:\/\/)((?:[^/?]*@)?)([^/?]*)(.*)$/s;

/**
 * With uselibpqcompat, these modes work as in libpq, except that `prefer` never connects without TLS. By default, the driver
 * treats all three as verify-full.
 */
const LIBPQ_MODES = /[?&]sslmode=(prefer|require|verify-ca)(&|$)/;

const asLibpq = (address: string): string =>
  LIBPQ_MODES.test(address) && !address.includes('uselibpqcompat=')
    ? `${address}&uselibpqcompat=true`
    : address;

/** Commas separate whole addresses, or hosts within one address. */
const readAddresses = (text: string): readonly string[] =>
  text.split(/,\s*(?=\w+:\/\/)/).flatMap((address) => {
    const [, scheme = '', role = '', hosts = '', rest = ''] = PARTS.exec(address.trim()) ?? [];
    return hosts.includes(',')
      ? hosts.split(',').map((host) => scheme + role + host + rest)
      : [address.trim()];
  });

/** PostgreSQL accepts a role without a host, but the URL parser does not, so a host is inserted. */
const isAddress = (text: string): boolean =>
  /^postgres(ql)?:\/\/([^/?]*@)?[^,?]*(\?|$)/.test(text) &&
  URL.canParse(text.replace(/^(\w+:\/\/)([^/]*@)?\//, '$1$2host/'));

export const databaseUrls = z
  .string()
  .transform((text) => readAddresses(text).map(asLibpq))
  .refine((addresses) => addresses.every(isAddress))
  .describe('PostgreSQL addresses such as postgresql://user:secret@host:5432/name, separated by commas');

/** Host, port and database, without the role and password, for messages. */
export function placeOf(address: string): string {
  const { host, port, database } = new Client({ connectionString: address });
  return `${host}:${port}/${database}`;
}

export const withRoleOf = (address: string, other: string): string =>
  address.replace(
    PARTS,
    (_all, scheme, _role, host, rest) => scheme + (PARTS.exec(other)?.[2] ?? '') + host + rest,
  );

interface Readers {
  /** The only address, if it points to the primary. */
  readonly primary?: string | undefined;
  /** undefined if the server did not respond. */
  readonly identity?: DatabaseIdentity | undefined;
  readonly replicas: readonly string[];
}

/** A single address points to the primary, unless it is a replica or does not respond. Several addresses are all replicas. */
export async function findReaders(addresses: readonly string[]): Promise<Readers> {
  const [first, ...others] = addresses;
  if (first === undefined || others.length > 0) return { replicas: addresses };
  try {
    const identity = await lookAt(first);
    return isReplica(identity) ? { replicas: addresses } : { primary: first, identity, replicas: [] };
  } catch (error) {
    return isUnavailable(error) ? { replicas: addresses } : { primary: first, replicas: [] };
  }
}
