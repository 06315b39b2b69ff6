// Progress on stderr: a bar on a terminal, otherwise a line per second.
import { Presets, SingleBar } from 'cli-progress';
import type { Clock, Progress } from '../extension-api';
import type { Terminal } from './command';
import { plainCell } from './plain-output';

/** Without a total, only the status text is shown. */
export function openProgress(terminal: Terminal, clock: Clock, total?: number): Progress {
  return terminal.interactive && total !== undefined
    ? barProgress(terminal, total)
    : lineProgress(terminal, clock, total);
}

function barProgress(terminal: Terminal, total: number): Progress {
  const stream: NodeJS.WritableStream = terminal.stderr.raw;
  const bar = new SingleBar(
    { format: '{bar} {percentage}% | {status}', stream, hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0, { status: '' });
  return {
    show: (done, status) => bar.update(Math.min(done, total), { status: plainCell(status) }),
    close: () => bar.stop(),
  };
}

function lineProgress(terminal: Terminal, clock: Clock, total?: number): Progress {
  let shown = clock().getTime();
  return {
    show(done, status) {
      const now = clock().getTime();
      if (now - shown < 1000) return;
      shown = now;
      const part = total === undefined || total === 0 ? '' : `${Math.floor((100 * done) / total)}% `;
      terminal.stderr.write(`${part}${status}\n`);
    },
    close: () => undefined,
  };
}
