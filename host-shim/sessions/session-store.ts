// Stores sessions under a hash of their id, so that read access to the table is not enough to use them.
import { createHash } from 'node:crypto';
import { type SessionData, Store } from 'express-session';
import type { Knex } from 'knex';
import { findSecondFactor } from '../auth/second-factor';
import type { Clock } from '../extension-api';

declare module 'express-session' {
  interface SessionData {
    /** Set at login, which creates the session. */
    userId: number;
    /** Whether a proxy's header opened the session. Such a session is valid only while the header names the same account. */
    isByHeader?: boolean;
    /** Shown once on the next page. Never a secret. */
    notice: string;
  }
}

/** `passwordHash` is the stored hash that was checked. */
export interface CheckedLogin {
  readonly userId: number;
  /** How the user logged in: a password alone is not enough for an account with a second factor. */
  readonly by: 'password' | 'second factor' | 'header';
  readonly passwordHash: string;
  /** In ISO format. */
  readonly endsAt: string;
}

/** The key under which a session is stored; it cannot be used as the session's id. */
export const sessionKeyOf = (id: string): string => createHash('sha256').update(id).digest('hex');

const sessions = (write: Knex) => write.withSchema('host').from('session');

type Done<T = void> = (error: unknown, value?: T) => void;

const settle = <T>(work: Promise<T>, done?: Done<T>): void => {
  work.then(
    (value) => done?.(null, value),
    (error) => done?.(error),
  );
};

/**
 * There is no `touch`, because a session's end is fixed at login. `set` never creates a session: otherwise an in-flight request
 * could restore one that has just been ended.
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
        .where('session_key', sessionKeyOf(id))
        .delete()
        .then(() => undefined),
      done,
    );
  }

  private async read(id: string): Promise<SessionData | null> {
    const row = await sessions(this.write)
      .where('session_key', sessionKeyOf(id))
      .where('expires_at', '>', this.clock())
      .first<{ data: SessionData } | undefined>('data');
    return row?.data ?? null;
  }

  private async update(id: string, session: SessionData): Promise<void> {
    await sessions(this.write)
      .where('session_key', sessionKeyOf(id))
      .update({ data: JSON.stringify(session) });
  }

  /**
   * Returns false if the login is no longer valid. Locks the account's row: if the password is changed, the account is disabled,
   * or a second factor is set up concurrently, that change either comes first or ends this session.
   */
  create(id: string, session: object, login: CheckedLogin): Promise<boolean> {
    const { userId, passwordHash, by, endsAt } = login;
    return this.write.transaction(async (trx) => {
      const account = await trx('host.users')
        .where({ user_id: userId, password_hash: passwordHash, disabled: false })
        .forShare()
        .first('user_id');
      if (account === undefined) return false;
      if (by === 'password' && (await findSecondFactor(trx, userId)) !== undefined) return false;
      await sessions(trx).insert({
        session_key: sessionKeyOf(id),
        user_id: userId,
        data: JSON.stringify(session),
        created_at: this.clock(),
        expires_at: endsAt,
      });
      return true;
    });
  }
}

/** Returns the number of sessions ended. */
export function endSessions(write: Knex, userId: number): Promise<number> {
  return sessions(write).where('user_id', userId).delete();
}

export async function endOtherSessions(write: Knex, userId: number, key: string): Promise<void> {
  await sessions(write).where('user_id', userId).whereNot('session_key', key).delete();
}

export async function countSessions(write: Knex, userId: number, now: Date): Promise<number> {
  const [row] = await sessions(write)
    .where('user_id', userId)
    .where('expires_at', '>', now)
    .count<{ count: number }[]>({ count: '*' });
  return row?.count ?? 0;
}

export async function removeEndedSessions(write: Knex, now: Date): Promise<void> {
  await sessions(write).where('expires_at', '<=', now).delete();
}
