// What the database tells of itself for the page "System". Nothing of it is an address or a password.
import type { Knex } from 'knex';

export interface DatabaseState {
  /** As the server spells it: 18.4. */
  readonly version: string;
  readonly name: string;
  readonly bytes: number;
  /** By its own clock. */
  readonly now: Date;
  /** Names of the migrations that are applied, in order. */
  readonly migrations: readonly string[];
  readonly openSessions: number;
  readonly peopleInSessions: number;
}

const STATE = `
SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
  current_database() AS name,
  pg_database_size(current_database()) AS bytes,
  clock_timestamp() AS now,
  ARRAY(SELECT schema || '/' || name FROM migrations.applied_file ORDER BY applied_at) AS migrations,
  (SELECT count(*)::integer FROM host.session WHERE expires_at > ?) AS "openSessions",
  (SELECT count(DISTINCT user_id)::integer FROM host.session WHERE expires_at > ?) AS "peopleInSessions"`;

/** `now` is the clock by which sessions end. */
export async function databaseState(write: Knex, now: Date): Promise<DatabaseState> {
  const { rows } = await write.raw<{ rows: DatabaseState[] }>(STATE, [now, now]);
  const state = rows[0];
  if (state === undefined) throw new Error('The database told nothing of itself.');
  return state;
}
