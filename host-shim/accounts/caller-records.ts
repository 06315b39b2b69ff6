// The host's records of callers' addresses.

import { guardKey } from '../auth/login-guard';
import type { CallerRecords, Queryable } from '../extension-api';

/** Application passwords last used from one of these addresses. */
const USED_PASSWORDS = `SELECT uuid, name, last_ip, last_used_at FROM host.application_passwords WHERE last_ip = ANY($1::text[])`;
/** Counts of requests and failed logins from these addresses. */
const WINDOW_COUNTS = `SELECT name, seconds, count, ends_at FROM host.window_count WHERE substring(name FROM '[^ ]+$') = ANY($1::text[])`;

const keysOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(addresses.flatMap((address) => [address, guardKey(address)])),
];

export const callerRecords: CallerRecords = {
  async find(client: Queryable, addresses) {
    const passwords = await client.query<object>(USED_PASSWORDS, [addresses]);
    const counts = await client.query<object>(WINDOW_COUNTS, [keysOf(addresses)]);
    return [...passwords.rows, ...counts.rows];
  },
  async erase(client: Queryable, addresses) {
    await client.query(
      'UPDATE host.application_passwords SET last_ip = NULL WHERE last_ip = ANY($1::text[])',
      [addresses],
    );
    await client.query(
      `DELETE FROM host.window_count WHERE (name, seconds) IN (SELECT name, seconds FROM (${WINDOW_COUNTS}) counted)`,
      [keysOf(addresses)],
    );
  },
};
