// What the host stores about callers' addresses.

import { guardKey } from '../auth/login-guard';
import type { CallerRecords, Queryable } from '../extension-api';

/** Passwords last used from one of these addresses, and counts of requests and failed logins from them. */
const USED = `SELECT uuid, name, last_ip, last_used_at FROM host.application_passwords WHERE last_ip = ANY($1::text[])`;
const COUNTED = `SELECT name, seconds, count, ends_at FROM host.window_count WHERE substring(name FROM '[^ ]+$') = ANY($1::text[])`;

const keysOf = (addresses: readonly string[]): readonly string[] => [
  ...new Set(addresses.flatMap((address) => [address, guardKey(address)])),
];

export const callerRecords: CallerRecords = {
  async find(client: Queryable, addresses) {
    const used = await client.query<object>(USED, [addresses]);
    const counted = await client.query<object>(COUNTED, [keysOf(addresses)]);
    return [...used.rows, ...counted.rows];
  },
  async erase(client: Queryable, addresses) {
    await client.query(
      'UPDATE host.application_passwords SET last_ip = NULL WHERE last_ip = ANY($1::text[])',
      [addresses],
    );
    await client.query(
      `DELETE FROM host.window_count WHERE (name, seconds) IN (SELECT name, seconds FROM (${COUNTED}) counted)`,
      [keysOf(addresses)],
    );
  },
};
