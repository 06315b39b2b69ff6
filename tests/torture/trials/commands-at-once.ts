// Runs three commands at the same time on an idle data directory: the first one starts the embedded database, and the last one stops it.
import type { Dice } from '../../language/interpreter/random/dice';
import { createInstallation, type Installation } from '../installation';
import { isRaw } from '../is-raw';
import { runInLanes } from '../lanes';
import type { Report, Trial } from '../trial';

const COMMANDS = [['users', 'list'], ['sites', 'list'], ['imports', 'list'], ['audit'], ['migrate']] as const;
const AT_ONCE = 3;

export const commandsAtOnce: Trial = {
  name: 'commands',
  title: 'Three commands started at the same time on an idle installation all succeed',
  tries: 100,
  async run(dice, report, { tries }) {
    await runInLanes(tries, dice, async (laneDice, numbers) => {
      const installation = await createInstallation();
      try {
        for (const _ of numbers) await runAtOnce(installation, laneDice, report);
      } finally {
        await installation.remove();
      }
    });
  },
};

async function runAtOnce(installation: Installation, dice: Dice, report: Report): Promise<void> {
  report.tried();
  const chosen = Array.from({ length: AT_ONCE }, () => dice.pick(COMMANDS));
  const outcomes = await Promise.all(chosen.map((command) => installation.run(command)));
  for (const [index, { code, out, err }] of outcomes.entries())
    if (code !== 0 || isRaw(out + err))
      report.fault('wrong', `${chosen[index]?.join(' ')} ended with ${code}: ${err}`);
}
