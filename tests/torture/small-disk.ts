// A file system in memory whose size a trial can change. Mounting it requires root.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MB = 2 ** 20;

export interface Disk {
  readonly folder: string;
  readonly resize: (megabytes: number) => void;
  /** Leaves this much space free, even while other programs are writing. */
  readonly leave: (megabytes: number) => Promise<void>;
  readonly setReadOnly: (isReadOnly: boolean) => void;
}

export async function withDisk(megabytes: number, work: (disk: Disk) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-torture-'));
  const tryMount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'qal-torture', folder], { encoding: 'utf8' });
  const mount = (options: string) => {
    const { status, stderr } = tryMount(options);
    if (status !== 0) throw new Error(`Mounting a small disk requires root: ${stderr}`);
  };
  mount(`size=${megabytes}m`);
  try {
    await work({
      folder,
      resize: (size) => mount(`remount,size=${size}m`),
      async leave(room) {
        // A size smaller than the space in use is rejected.
        for (;;) {
          const { blocks, bfree, bsize } = await statfs(folder);
          const bytes = (blocks - bfree) * bsize + Math.round(room * MB);
          if (tryMount(`remount,size=${bytes}`).status === 0) return;
        }
      },
      setReadOnly: (isReadOnly) => mount(`remount,${isReadOnly ? 'ro' : 'rw'}`),
    });
  } finally {
    spawnSync('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  }
}
