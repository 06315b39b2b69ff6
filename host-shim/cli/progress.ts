// Shows how far a long job is: a bar on a terminal, one line per second otherwise. On stderr.
import { Presets, SingleBar } from 'cli-progress';
import type { Clock, Progress } from '../extension-api';
import type { Terminal } from './command';

/** A display of progress. Without a total there is no bar, only the remarks. */
export function openProgress(terminal: Terminal, clock: Clock, total?: number): Progress {
  return terminal.interactive && total !== undefined
    ? barProgress(terminal, total)
    : lineProgress(terminal, clock, total);
}

function barProgress(terminal: Terminal, total: number): Progress {
  const bar = new SingleBar(
    { format: '{bar} {percentage}% | {remark}', stream: asTerminal(terminal.stderr), hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0, { remark: '' });
  return {
    show: (done, remark) => bar.update(Math.min(done, total), { remark }),
    close: () => bar.stop(),
  };
}

/** cli-progress is typed for Node's own streams; every writable stream has what it uses. */
function asTerminal(stream: Terminal['stderr']): NodeJS.WritableStream {
  return stream;
}

function lineProgress(terminal: Terminal, clock: Clock, total?: number): Progress {
  let shown = clock().getTime();
  return {
    show(done, remark) {
      const now = clock().getTime();
      if (now - shown < 1000) return;
      shown = now;
      const part = total === undefined || total === 0 ? '' : `${Math.floor((100 * done) / total)}% `;
      terminal.stderr.write(`${part}${remark}\n`);
    },
    close: () => undefined,
  };
}
