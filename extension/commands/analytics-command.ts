import { type CommandInput, type CommandUsage, JobFailed } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { isLocalDate } from '../language/time/local-time';

export interface AnalyticsCommand extends CommandUsage {
  /** Throws a JobFailed if the command fails, or a WrongUsage if its arguments are invalid. */
  run(analytics: Analytics, input: CommandInput): Promise<void>;
}

export const textOption = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const dayOption = (flags: string, about: string) => ({
  flags,
  about,
  check: (text: string) => (isLocalDate(text) ? undefined : 'It must be a date such as 2026-05-01.'),
});

/** Throws an expected error as a JobFailed, and any other error unchanged. */
export function failJob(error: unknown, Expected: new (...args: never[]) => Error): never {
  throw error instanceof Expected ? new JobFailed(error.message, { cause: error }) : error;
}
