import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInUse } from './column-file';
import { columnsFolder } from './columns-of-server';
import { REBUILD_REQUEST } from './columns-status';
import { removeColumnFolder } from './crash-marks';

/** Makes the server rebuild the copy, now or the next time it starts. Returns whether a server is running. */
export async function discardCopy(dataDir: string): Promise<boolean> {
  const folder = columnsFolder(dataDir);
  const isRunning = await isInUse(folder);
  if (isRunning) await writeFile(join(folder, REBUILD_REQUEST), '');
  else await removeColumnFolder(folder);
  return isRunning;
}
