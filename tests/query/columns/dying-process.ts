// Program: opens the copy in a folder and, while using it, is killed by a signal, or exits if the signal is `exit`:
// `dying-process.ts FOLDER WORK SIGNAL`.
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { openColumnFile } from '../../../extension/query/columns/column-file';

const ENDLESS = { text: 'SELECT count(*) FROM range(10000000000) a WHERE range % 7 = 3' };

async function die(folder: string, work: string, signal: string): Promise<void> {
  const file = await openColumnFile({ folder, memoryMb: 256, tempMb: 256, threads: 1 });
  const end = () => (signal === 'exit' ? process.exit(130) : process.kill(process.pid, signal));
  if (work === 'read') {
    void file.read(ENDLESS);
    await turn();
    end();
  } else if (work === 'write') {
    await file.write(async (run) => {
      await run({ text: 'DELETE FROM copied_site' });
      end();
      await pause(60_000);
    });
  } else {
    await file.read({ text: 'SELECT count(*) FROM copied_site' });
    end();
  }
}

void die(process.argv[2] ?? '', process.argv[3] ?? '', process.argv[4] ?? '');
