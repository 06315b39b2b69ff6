// A command of the extension: how to call it, and what it does.
import type { CommandInput, CommandUsage } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';

export interface AnalyticsCommand extends CommandUsage {
  /** Throws a JobFailed or a WrongUsage. */
  run(analytics: Analytics, input: CommandInput): Promise<void>;
}

/** The text of an option; undefined when it was not given. */
export const textOption = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
