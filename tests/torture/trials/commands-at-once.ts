// Three commands at once on a data directory where nothing runs: one starts its database, the last one stops it.
import { createInstallation } from '../installation';
import type { Trial } from '../trial';
import { isRaw } from '../words';

const COMMANDS = [['users', 'list'], ['sites', 'list'], ['imports', 'list'], ['audit'], ['migrate']] as const;
const AT_ONCE = 3;

export const commandsAtOnce: Trial = {
  name: 'commands',
  title: 'Three commands at once on an installation that stands still all do their work',
  tries: 100,
  async run(dice, report, { tries }) {
    const installation = await createInstallation();
    try {
      for (let count = 0; count < tries; count++) {
        report.tried();
        const chosen = Array.from({ length: AT_ONCE }, () => dice.pick(COMMANDS));
        const outcomes = await Promise.all(chosen.map((command) => installation.run(command)));
        for (const [index, { code, out, err }] of outcomes.entries())
          if (code !== 0 || isRaw(out + err))
            report.fault('wrong', `${chosen[index]?.join(' ')} ended with ${code}: ${err}`);
      }
    } finally {
      await installation.remove();
    }
  },
};
