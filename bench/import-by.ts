import { runCommand } from './command';

export interface LoadCost {
  readonly rows: number;
  /** As reported by the command, without the program's startup time. */
  readonly seconds: number;
  /** Peak resident memory of the command. */
  readonly peakMegabytes: number;
}

/** Runs `qal import`. If the command fails, throws an error that contains its error output. */
export async function importBy(dataDir: string, args: readonly string[]): Promise<LoadCost> {
  const { output, peakMegabytes } = await runCommand(dataDir, ['import', ...args]);
  return { rows: numberFor(output, 'read'), seconds: numberFor(output, 'seconds'), peakMegabytes };
}

function numberFor(report: string, name: string): number {
  const [, number] = new RegExp(`^${name} +([\\d,.]+)`, 'm').exec(report) ?? [];
  if (number === undefined) throw new Error(`The report has no ${name}: ${report}`);
  return Number(number.replaceAll(',', ''));
}
