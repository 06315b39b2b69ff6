// Sends an alarm when a check has reported a problem for five minutes, and a message when the check recovers. If several servers
// are running, only one sends it, unless the database is unavailable.
import type { Knex } from 'knex';
import { type Clock, isUnavailable, type Log } from '../extension-api';
import type { HealthLine } from '../health/check-health';

type Problem = Exclude<HealthLine, { readonly state: 'fine' }>;

export interface AlarmMessage {
  readonly problems: readonly Problem[];
  readonly fineAgain: readonly HealthLine[];
}

interface AlarmOptions {
  readonly write: Pick<Knex, 'transaction'>;
  readonly clock: Clock;
  readonly log: Log;
  /** This server's name, for checks that concern only this server. */
  readonly server: string;
  look(): Promise<readonly HealthLine[]>;
  /** Throws if no recipient received the message. */
  send(message: AlarmMessage): Promise<void>;
}

const REPORT_AFTER_MS = 5 * 60_000;
/** Minimum time between two alarms about the same check. */
const PAUSE_MS = 3_600_000;

/** A separate class, so that the failure is not mistaken for an unavailable database. */
class SendFailed extends Error {
  override readonly name = 'SendFailed';
}

interface Reported {
  readonly state: string;
  readonly at: Date;
}

/** Returns the function to call every minute. */
export function createAlarms({ write, clock, log, server, look, send }: AlarmOptions): () => Promise<void> {
  /** When this server first saw each current problem. */
  const since = new Map<string, Date>();
  /** The problems that this server reported while the database was unavailable. */
  const reportedLocally = new Map<string, Reported>();
  const keyOf = ({ title, isOfServer }: HealthLine) =>
    isOfServer === true ? `${title} on ${server}` : title;

  /** Returns the lines that may need to be reported, judging by what this server has seen. */
  function reportable(lines: readonly HealthLine[], now: Date): readonly HealthLine[] {
    for (const line of lines) {
      if (line.state === 'fine') since.delete(keyOf(line));
      else if (line.state !== 'unknown' && !since.has(keyOf(line))) since.set(keyOf(line), now);
    }
    return lines.filter((line) => {
      const started = since.get(keyOf(line));
      return line.state === 'fine' || (started !== undefined && isPast(started, now, REPORT_AFTER_MS));
    });
  }

  async function sendChanges(changes: readonly HealthLine[]): Promise<void> {
    if (changes.length === 0) return;
    const isProblem = (line: HealthLine): line is Problem => line.state !== 'fine';
    const fineAgain = changes.filter((line) => !isProblem(line));
    await send({ problems: changes.filter(isProblem), fineAgain }).catch((cause: unknown) => {
      throw new SendFailed(String(cause), { cause });
    });
  }

  /** If sending fails, nothing is recorded as reported, so the next call tries again. */
  const reportOnce = (lines: readonly HealthLine[], now: Date) =>
    write.transaction(async (transaction) => {
      // If the transaction timed out while the message was being sent, it would be sent twice.
      await transaction.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
      const changes: HealthLine[] = [];
      for (const line of lines)
        if (await claim(transaction, keyOf(line), line.state, now)) changes.push(line);
      for (const line of lines)
        if (reportedLocally.has(keyOf(line)) && line.state === 'fine' && !changes.includes(line))
          changes.push(line);
      await sendChanges(changes);
      for (const line of lines) reportedLocally.delete(keyOf(line));
    });

  async function reportLocally(lines: readonly HealthLine[], now: Date): Promise<void> {
    const changes = lines.filter((line) => {
      const last = reportedLocally.get(keyOf(line));
      return line.state !== 'fine' && line.state !== last?.state && isPauseOver(last?.at, now);
    });
    await sendChanges(changes);
    for (const line of changes) reportedLocally.set(keyOf(line), { state: line.state, at: now });
  }

  return async () => {
    const now = clock();
    const lines = reportable(await look(), now);
    try {
      await reportOnce(lines, now).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        return reportLocally(lines, now);
      });
    } catch (error) {
      log.error({ err: error }, 'An alarm could not be sent; the next attempt is in a minute.');
    }
  };
}

/** Also true for a time in the future, which was recorded while the clock was wrong. */
const isPast = (then: Date, now: Date, pauseMs: number): boolean =>
  then > now || now.getTime() - then.getTime() >= pauseMs;

const isPauseOver = (last: Date | undefined, now: Date): boolean =>
  last === undefined || isPast(last, now, PAUSE_MS);

/** Returns whether this server should report the change. Other servers that try to claim it wait until the transaction ends. */
async function claim(transaction: Knex, cause: string, state: string, now: Date): Promise<boolean> {
  const { rowCount } = await (state === 'fine'
    ? transaction.raw(`UPDATE host.alarm SET told = 'fine' WHERE cause = ? AND told <> 'fine'`, [cause])
    : transaction.raw(
        `INSERT INTO host.alarm AS a (cause, told, alarmed_at) VALUES (?, ?, ?)
         ON CONFLICT (cause) DO UPDATE SET told = excluded.told, alarmed_at = excluded.alarmed_at
         WHERE a.told <> excluded.told AND (a.alarmed_at <= ? OR a.alarmed_at > ?)`,
        [cause, state, now, new Date(now.getTime() - PAUSE_MS), now],
      ));
  return rowCount === 1;
}
