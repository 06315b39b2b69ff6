// What an import by the command costs.
import { runCommand } from './command';

export interface LoadCost {
  readonly rows: number;
  /** As the command tells them: without the start of the program. */
  readonly seconds: number;
  /** Resident memory of the command at its highest. */
  readonly peakMegabytes: number;
}

/** Runs `qal import`; throws what it says when it refuses the file. */
export async function importBy(dataDir: string, args: readonly string[]): Promise<LoadCost> {
  const { output, peakMegabytes } = await runCommand(dataDir, ['import', ...args]);
  return { rows: told(output, 'read'), seconds: told(output, 'seconds'), peakMegabytes };
}

/** A number of the command's report. */
function told(report: string, name: string): number {
  const [, number] = new RegExp(`^${name} +([\\d,.]+)`, 'm').exec(report) ?? [];
  if (number === undefined) throw new Error(`The import does not tell ${name}: ${report}`);
  return Number(number.replaceAll(',', ''));
}
