// What a command of the extension is: how it is called, and what it does with the analytics of the installation.
import type { CommandInput, CommandUsage } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';

export interface AnalyticsCommand extends CommandUsage {
  /** Throws a JobFailed or a WrongUsage. */
  run(analytics: Analytics, input: CommandInput): Promise<void>;
}

/** The text of an option; undefined when it was not given. */
export const textOption = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
