// Three commands at once on a data directory where nothing runs: one starts its database, the last one stops it.
import type { Dice } from '../../language/interpreter/random/dice';
import { createInstallation, type Installation } from '../installation';
import { runInLanes } from '../lanes';
import type { Report, Trial } from '../trial';
import { isRaw } from '../words';

const COMMANDS = [['users', 'list'], ['sites', 'list'], ['imports', 'list'], ['audit'], ['migrate']] as const;
const AT_ONCE = 3;

export const commandsAtOnce: Trial = {
  name: 'commands',
  title: 'Three commands at once on an installation that stands still all do their work',
  tries: 100,
  async run(dice, report, { tries }) {
    await runInLanes(tries, dice, async (own, numbers) => {
      const installation = await createInstallation();
      try {
        for (const _ of numbers) await runAtOnce(installation, own, report);
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
