import { type Finding, type HealthCheck, isUnavailable, type Log, type Problem } from '../extension-api';
import { TooSlow, withinTime } from '../server/within-time';

export type HealthLine = Pick<HealthCheck, 'title' | 'isOfServer'> & (Finding | Unknown);

type Unknown = Omit<Problem, 'state'> & { readonly state: 'unknown' };

const CHECK_TIMEOUT_MS = 2_000;

/** Runs all checks concurrently. Never rejects: if a check itself fails, the failure is logged. */
export const checkHealth = (checks: readonly HealthCheck[], log: Log): Promise<readonly HealthLine[]> =>
  Promise.all(
    checks.map(async (check) => ({
      title: check.title,
      ...(check.isOfServer && { isOfServer: true }),
      ...(await withinTime(() => check.look(), CHECK_TIMEOUT_MS).catch(describeFailure(check, log))),
    })),
  );

export const isFine = ({ state }: HealthLine): boolean => state === 'fine';

/** The public summary of a check: `Disk: warning, 7% free` */
export const lineOf = ({ title, state, brief }: HealthLine): string => `${title}: ${state}, ${brief}`;

const describeFailure =
  ({ title, isVital = false }: HealthCheck, log: Log) =>
  (error: unknown): Finding | Unknown => {
    const isLate = error instanceof TooSlow;
    const state = isVital ? 'failing' : 'unknown';
    if (!isLate && !isUnavailable(error)) {
      log.error({ err: error }, `The health check "${title}" failed.`);
      return {
        state,
        brief: 'the check failed',
        about: 'The check itself failed.',
        remedy: { text: "The program's log shows the reason." },
      };
    }
    if (isVital) log.warn({ err: error }, `The health check "${title}" got no response from the database.`);
    const brief = isLate
      ? `no response within ${CHECK_TIMEOUT_MS / 1000} s`
      : 'the database does not respond';
    return {
      state,
      brief,
      about: 'The database does not respond, or responds too slowly.',
      remedy: {
        text: "Make sure that the database is running and reachable; the program's log shows the error.",
      },
    };
  };
