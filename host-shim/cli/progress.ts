// Shows on stderr how far a long job is: a bar on a terminal, otherwise a line per second.
import type { Writable } from 'node:stream';
import { Presets, SingleBar } from 'cli-progress';
import type { Clock, Progress } from '../extension-api';
import type { Terminal } from './command';
import { plainCell } from './plain-output';

/** Without a total there is no bar, only the remarks. */
export function openProgress(terminal: Terminal, clock: Clock, total?: number): Progress {
  return terminal.interactive && total !== undefined
    ? barProgress(terminal, total)
    : lineProgress(terminal, clock, total);
}

function barProgress(terminal: Terminal, total: number): Progress {
  const bar = new SingleBar(
    { format: '{bar} {percentage}% | {remark}', stream: asTerminal(terminal.stderr.raw), hideCursor: true },
    Presets.shades_classic,
  );
  bar.start(total, 0, { remark: '' });
  return {
    show: (done, remark) => bar.update(Math.min(done, total), { remark: plainCell(remark) }),
    close: () => bar.stop(),
  };
}

/** cli-progress wants a stream of Node's own; it uses nothing that other writable streams lack. */
function asTerminal(stream: Writable): NodeJS.WritableStream {
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
