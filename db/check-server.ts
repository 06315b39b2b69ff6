import type { Knex } from 'knex';
import { refuseWorker } from './citus';
import { codeOf } from './embedded/errors';
import { placeOf } from './read-addresses';
import type { ReadPool } from './read-pool';
import { isUnavailable } from './unavailable';

const MIN_SERVER_MAJOR = 15;

/** Returns the version. Throws if the server is too old or is a Citus worker, or if the database is not encoded in UTF-8. */
export async function checkServer(write: Knex): Promise<string> {
  const { rows } = await write.raw(
    `SELECT current_setting('server_version_num')::int AS number, split_part(current_setting('server_version'), ' ', 1) AS version,
            current_setting('server_encoding') AS encoding`,
  );
  const { number, version, encoding } = rows[0];
  if (number < MIN_SERVER_MAJOR * 10_000) {
    throw new Error(
      `The server at DATABASE_URL is PostgreSQL ${version}; version ${MIN_SERVER_MAJOR} or newer is required.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database at DATABASE_URL is encoded in ${encoding}; create one with ENCODING 'UTF8'.`,
    );
  }
  await refuseWorker(write);
  return version;
}

/** Returns a warning if the connection's role lacks a limit that the embedded server's reader role has. */
export async function readerWarnings(
  read: ReadPool,
  tempFileMb: number | undefined,
): Promise<readonly string[]> {
  if (tempFileMb === undefined) return [];
  const [found] = await read.query<{ limit: string; role: string }>({
    text: "SELECT current_setting('temp_file_limit') AS limit, current_user AS role",
  });
  if (found?.limit !== '-1') return [];
  return [
    `The role ${found.role} is not allowed to set temp_file_limit, so a single query can fill the database's disk. As a superuser, run: ALTER ROLE "${found.role}" SET temp_file_limit = '${tempFileMb}MB'`,
  ];
}

/** SQLSTATEs for a rejected login and for a database that does not exist. */
const REFUSED = /^(28|3D)...$/;

/** Adds the address, and the setting that contains it, to a connection error. */
export async function reaching<T>(variable: string, address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error) ?? '';
    const place = `${placeOf(address)} (${variable})`;
    if (REFUSED.test(code))
      throw new Error(`PostgreSQL at ${place} refused the connection: ${messageOf(error)}`);
    // Codes such as EINVAL: system errors caused by invalid addresses.
    if (!isUnavailable(error) && !/^E[A-Z]+$/.test(code)) throw error;
    throw new Error(
      `PostgreSQL does not respond at ${place}: ${messageOf(error) || code || 'no reason was reported'}`,
    );
  }
}

const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
