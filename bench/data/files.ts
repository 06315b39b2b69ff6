// Owns the files of made rows: where they lie, and the processes that write them, one for each core.
// Size and directory -> one file of NDJSON for each site and material; the same size gives the same bytes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchSite, MATERIALS, type Material, type Size } from './shape';

export const fileOf = (directory: string, { trackingId }: BenchSite, material: Material): string =>
  join(directory, `${trackingId}.${material}.ndjson`);

/** Writes the files of these sites that are not there; answers the seconds that it took. */
export async function makeFiles(size: Size, directory: string, sites: readonly BenchSite[]): Promise<number> {
  const started = performance.now();
  const lacking = sites.filter((site) =>
    MATERIALS.some((material) => !existsSync(fileOf(directory, site, material))),
  );
  // The first site has four fifths of the rows: the others together keep another core busy for less time than it.
  const [first, ...others] = lacking;
  const shares = [first === undefined ? [] : [first], others].filter((share) => share.length > 0);
  await Promise.all(shares.map((share) => makeShare(size, directory, share)));
  return (performance.now() - started) / 1000;
}

async function makeShare(size: Size, directory: string, sites: readonly BenchSite[]): Promise<void> {
  const names = sites.map(({ trackingId }) => trackingId);
  const child = fork(require.resolve('./make'), [size, directory, ...names]);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The rows of ${names.join(', ')} could not be made.`);
}
