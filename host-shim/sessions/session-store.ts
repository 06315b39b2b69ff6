// Where the sessions of the pages are kept: the database, under a hash of their id.
// Whoever reads the table cannot enter with what stands there; and an account's sessions can be ended together.
import { createHash } from 'node:crypto';
import { type SessionData, Store } from 'express-session';
import type { Knex } from 'knex';
import type { Clock } from '../extension-api';

declare module 'express-session' {
  interface SessionData {
    /** Set when somebody logs in; nobody gets a session before. */
    userId: number;
    /** Shown once on the next page. Never a secret. */
    notice: string;
  }
}

/** A login whose password was right; `passwordHash` is the stored form that was checked. */
export interface CheckedLogin {
  readonly userId: number;
  readonly passwordHash: string;
  /** ISO instant. */
  readonly endsAt: string;
}

const keyOf = (id: string) => createHash('sha256').update(id).digest('hex');

const sessions = (write: Knex) => write.withSchema('host').from('session');

type Done<T = void> = (error: unknown, value?: T) => void;

/** Tells a callback of express-session what became of a promise. */
const settle = <T>(work: Promise<T>, done?: Done<T>): void => {
  work.then(
    (value) => done?.(null, value),
    (error) => done?.(error),
  );
};

/**
 * A store of express-session. It has no `touch`: a session ends when its login said so, and not later.
 * `set` changes sessions that are there and makes none: a request under way would bring back one that was ended meanwhile.
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
    settle(this.keep(id, session), done);
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

  private async keep(id: string, session: SessionData): Promise<void> {
    await sessions(this.write)
      .where('session_key', keyOf(id))
      .update({ data: JSON.stringify(session) });
  }

  /**
   * Makes the session of somebody who has logged in; false where that login no longer counts. The row of the account is
   * locked: a new password or a disabling under way is waited for, and one that comes after it finds this session to end.
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

/** Ends every session of an account: "log out everywhere", a new password, a disabled account. Gives how many. */
export function endSessions(write: Knex, userId: number): Promise<number> {
  return sessions(write).where('user_id', userId).delete();
}

/** Sessions of an account that are still open. */
export async function countSessions(write: Knex, userId: number, now: Date): Promise<number> {
  const [row] = await sessions(write)
    .where('user_id', userId)
    .where('expires_at', '>', now)
    .count<{ count: number }[]>({ count: '*' });
  return row?.count ?? 0;
}

/** Removes the sessions that are over; nobody could use them any more. */
export async function removeEndedSessions(write: Knex, now: Date): Promise<void> {
  await sessions(write).where('expires_at', '<=', now).delete();
}
