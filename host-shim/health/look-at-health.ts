// Looks at the health of the installation: all checks at once, each with a deadline.
import { type Finding, type HealthCheck, isUnavailable, type Log, type Remedy } from '../extension-api';
import { TooSlow, withinTime } from '../server/within-time';

/** What a check found, or that it could not look. */
export type HealthLine = Pick<HealthCheck, 'title'> & (Finding | Unknown);

/** Its state is unknown. */
interface Unknown {
  readonly state: 'unknown';
  readonly brief: string;
  readonly about: string;
  readonly remedy: Remedy;
}

const LONGEST_LOOK_MS = 2_000;

/** Never rejects. A check that fails by itself is logged and unknown. */
export const lookAtHealth = (checks: readonly HealthCheck[], log: Log): Promise<readonly HealthLine[]> =>
  Promise.all(
    checks.map(async (check) => ({
      title: check.title,
      ...(await withinTime(() => check.look(), LONGEST_LOOK_MS).catch(inWords(check, log))),
    })),
  );

export const isFine = ({ state }: HealthLine): boolean => state === 'fine';

/** `Disk: warning, 7 % free`: a line that anybody may read. */
export const lineOf = ({ title, state, brief }: HealthLine): string => `${title}: ${state}, ${brief}`;

const inWords =
  ({ title, isVital = false }: HealthCheck, log: Log) =>
  (error: unknown): Finding | Unknown => {
    const isLate = error instanceof TooSlow;
    const state = isVital ? 'failing' : 'unknown';
    if (!isLate && !isUnavailable(error)) {
      log.error({ err: error }, `The health check "${title}" failed.`);
      return {
        ...{ state, brief: 'the check failed', about: 'The check itself failed.' },
        remedy: { text: 'The log of the program says why.' },
      };
    }
    if (isVital) log.warn({ err: error }, `The health check "${title}" got no answer from the database.`);
    const brief = isLate ? `no answer within ${LONGEST_LOOK_MS / 1000} s` : 'the database does not answer';
    return {
      ...{ state, brief, about: 'The database does not answer, or too slowly.' },
      remedy: {
        text: 'See that the database runs and can be reached; the log of the program has its error.',
      },
    };
  };
