// The column copy of this process: there while the server runs and the extension is active.
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { HostTools } from '../../host-shim/extension-api';
import type { Manifest } from '../../manifests/reader/manifest';
import type { AnalyticsSettings } from '../settings';
import { type Columns, startColumns } from './columns';

interface Parts {
  readonly host: HostTools;
  readonly manifest: Manifest;
}

export interface ColumnsOfServer {
  current(): Columns | undefined;
  /** The server runs from now on. */
  start(parts: Parts): void;
  /** Starts the copy again that a deactivation stopped, while the server runs. */
  restart(parts: Parts): void;
  stop(): Promise<void>;
}

const MB = 2 ** 20;
const MOST_MEMORY_MB = 2048;

/** The folder of the copy below the installation's. */
export const columnsFolder = (dataDir: string): string => join(dataDir, 'columns');

export function columnsOfServer({
  columns,
  columnsMemoryMb,
  columnsThreads,
}: AnalyticsSettings): ColumnsOfServer {
  let serves = false;
  let current: Columns | undefined;
  const restart = ({ host, manifest }: Parts): void => {
    if (!serves || !columns || current !== undefined) return;
    current = startColumns({
      folder: columnsFolder(host.dataDir),
      memoryMb: columnsMemoryMb ?? Math.min(MOST_MEMORY_MB, Math.floor(totalmem() / MB / 4)),
      threads: columnsThreads ?? availableParallelism(),
      ...{ write: host.database.write, manifest, log: host.log },
    });
  };
  return {
    current: () => current,
    start(parts) {
      serves = true;
      restart(parts);
    },
    restart,
    async stop() {
      const stopping = current;
      current = undefined;
      await stopping?.stop();
    },
  };
}
