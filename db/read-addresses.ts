// The addresses of servers, as settings give them: one, or several in DATABASE_READ_URL; and where the primary is read.
import { Client } from 'pg';
import { z } from 'zod';
import { type DatabaseIdentity, identify } from './same-database';
import { isUnavailable } from './unavailable';

const PARTS = /^(\w+:\/\/)((?:[^/?]*@)?)([^/?]*)(.*)$/s;

/** The addresses in a text: separated by commas before each scheme, or hosts of one address separated by commas. */
const readAddresses = (text: string): readonly string[] =>
  text.split(/,\s*(?=\w+:\/\/)/).flatMap((address) => {
    const [, scheme = '', role = '', hosts = '', rest = ''] = PARTS.exec(address.trim()) ?? [];
    return hosts.includes(',')
      ? hosts.split(',').map((host) => scheme + role + host + rest)
      : [address.trim()];
  });

/** PostgreSQL takes a role without a host, and URL does not: one is put in. */
const isAddress = (text: string): boolean =>
  /^postgres(ql)?:\/\/([^/?]*@)?[^,?]*(\?|$)/.test(text) &&
  URL.canParse(text.replace(/^(\w+:\/\/)([^/]*@)?\//, '$1$2host/'));

/** A setting that is the address of one server. */
export const databaseUrl = z
  .string()
  .refine(isAddress)
  .describe('a PostgreSQL address such as postgresql://user:secret@host:5432/name');

/** A setting that is the addresses of several: whole ones, or hosts of one, separated by commas. */
export const databaseUrls = z
  .string()
  .transform(readAddresses)
  .refine((addresses) => addresses.every(isAddress))
  .describe('PostgreSQL addresses such as postgresql://user:secret@host:5432/name, separated by commas');

/** The address without its role and secret, for people. */
export function placeOf(address: string): string {
  const { host, port, database } = new Client({ connectionString: address });
  return `${host}:${port}/${database}`;
}

/** The address with the role and secret of another one. */
export const withRoleOf = (address: string, other: string): string =>
  address.replace(
    PARTS,
    (_all, scheme, _role, host, rest) => scheme + (PARTS.exec(other)?.[2] ?? '') + host + rest,
  );

export interface Readers {
  /** Where the primary is read. */
  readonly primary: string;
  /** Of that address, where it is another one than the primary's; undefined: it did not tell. */
  readonly identity?: DatabaseIdentity | undefined;
  readonly replicas: readonly string[];
}

/** A single address that is no replica is the primary's; otherwise all are asked as replicas, and the primary is at its own. */
export async function findReaders(url: string, addresses: readonly string[]): Promise<Readers> {
  const [first] = addresses;
  if (first === undefined) return { primary: url, replicas: [] };
  const seen = addresses.length === 1 ? await lookAt(first) : { isReplica: true };
  if (!seen.isReplica) return { primary: first, identity: seen.identity, replicas: [] };
  return { primary: withRoleOf(url, first), replicas: addresses };
}

const PATIENCE_MS = 5_000;

/** A server that does not answer may be a replica. */
async function lookAt(
  connectionString: string,
): Promise<{ isReplica: boolean; identity?: DatabaseIdentity }> {
  const patience = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS };
  const client = new Client({ connectionString, ...patience });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ replica: boolean }>('SELECT pg_is_in_recovery() AS replica');
    const identity = await identify(async (text) => (await client.query(text)).rows);
    return { isReplica: rows[0]?.replica === true, identity };
  } catch (error) {
    return { isReplica: isUnavailable(error) };
  } finally {
    client.connection.stream.destroy();
  }
}
