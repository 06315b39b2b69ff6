// Stores web sessions in the database under a hash of their id, so that nobody who reads the table can use them.
import { createHash } from 'node:crypto';
import { type SessionData, Store } from 'express-session';
import type { Knex } from 'knex';
import type { Clock } from '../extension-api';

declare module 'express-session' {
  interface SessionData {
    /** Set at login; there is no session before that. */
    userId: number;
    /** Shown once on the next page. Never a secret. */
    notice: string;
  }
}

/** A login with a correct password; `passwordHash` is the stored hash that it was checked against. */
export interface CheckedLogin {
  readonly userId: number;
  readonly passwordHash: string;
  /** ISO instant. */
  readonly endsAt: string;
}

const keyOf = (id: string) => createHash('sha256').update(id).digest('hex');

const sessions = (write: Knex) => write.withSchema('host').from('session');

type Done<T = void> = (error: unknown, value?: T) => void;

/** Hands the outcome of a promise to a callback of express-session. */
const settle = <T>(work: Promise<T>, done?: Done<T>): void => {
  work.then(
    (value) => done?.(null, value),
    (error) => done?.(error),
  );
};

/**
 * A session store for express-session. It has no `touch`, since the end of a session is fixed at login. `set` never creates a
 * session, or a request in flight could bring back one that has just been ended.
 */
export class SessionStore extends Store {
  constructor(
    private readonly write: Knex,
    private readonly clock: Clock,
  ) {
    super();
  }

  override get(id: string, done: Done<SessionData | null>): void {
    settle(this.read(id), done);
  }

  override set(id: string, session: SessionData, done?: Done): void {
    settle(this.update(id, session), done);
  }

  override destroy(id: string, done?: Done): void {
    settle(
      sessions(this.write)
        .where('session_key', keyOf(id))
        .delete()
        .then(() => undefined),
      done,
    );
  }

  private async read(id: string): Promise<SessionData | null> {
    const row = await sessions(this.write)
      .where('session_key', keyOf(id))
      .where('expires_at', '>', this.clock())
      .first<{ data: SessionData } | undefined>('data');
    return row?.data ?? null;
  }

  private async update(id: string, session: SessionData): Promise<void> {
    await sessions(this.write)
      .where('session_key', keyOf(id))
      .update({ data: JSON.stringify(session) });
  }

  /**
   * Creates the session of a login; returns false if the login is no longer valid. It locks the account's row: a change of
   * password, or disabling the account, at the same time either happens first or sees this session and ends it.
   */
  async create(id: string, session: object, login: CheckedLogin): Promise<boolean> {
    const { rows } = await this.write.raw<{ rows: unknown[] }>(
      `INSERT INTO host.session (session_key, user_id, data, created_at, expires_at)
       SELECT ?, user_id, ?::jsonb, ?::timestamptz, ?::timestamptz FROM host.users
       WHERE user_id = ? AND password_hash = ? AND NOT disabled FOR SHARE RETURNING 1`,
      [keyOf(id), JSON.stringify(session), this.clock(), login.endsAt, login.userId, login.passwordHash],
    );
    return rows.length > 0;
  }
}

/** Ends every session of an account; returns how many. */
export function endSessions(write: Knex, userId: number): Promise<number> {
  return sessions(write).where('user_id', userId).delete();
}

/** The number of open sessions of an account. */
export async function countSessions(write: Knex, userId: number, now: Date): Promise<number> {
  const [row] = await sessions(write)
    .where('user_id', userId)
    .where('expires_at', '>', now)
    .count<{ count: number }[]>({ count: '*' });
  return row?.count ?? 0;
}

/** Removes the sessions that have ended. */
export async function removeEndedSessions(write: Knex, now: Date): Promise<void> {
  await sessions(write).where('expires_at', '<=', now).delete();
}
