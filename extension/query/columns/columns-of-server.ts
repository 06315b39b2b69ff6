// The columnar copy of this process. It exists while the server is running and the extension is active.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type HostTools,
  type Metric,
  machineMemory,
  type OpenProgress,
  type Progress,
} from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Workers } from '../../data/storage/workers';
import { type Columns, startColumns } from './columns';
import { type UnderWay, underWayInWords } from './columns-status';

interface Parts {
  readonly host: HostTools;
  readonly workers: Workers;
  readonly manifest: Manifest;
  readonly queue: { use(): { readonly waiting: number } };
}

interface ColumnsSettings {
  readonly columns: boolean;
  readonly columnsMb?: number | undefined;
  readonly columnsMemoryMb?: number | undefined;
  readonly columnsTempMb: number;
  readonly columnsThreads?: number | undefined;
  readonly columnsAuditHours: number;
}

const COPY_DIFFERENCES: Metric<'found_by'> = {
  name: 'qal_column_copy_differences_total',
  help: 'Differences found between the columnar copy and PostgreSQL.',
  labels: ['found_by'],
};

const MB = 2 ** 20;
const MIN_MEMORY_MB = 64;
const MAX_MEMORY_MB = 1536;
/** Memory reserved for PostgreSQL, the program, and rows being sent to many clients at once. */
const PROGRAM_MB = 1280;

/** A quarter of the memory left after PROGRAM_MB, within limits. */
export const columnsMemoryMbOf = (machineMb: number): number =>
  Math.min(MAX_MEMORY_MB, Math.max(MIN_MEMORY_MB, Math.floor((machineMb - PROGRAM_MB) / 4)));

export const columnsFolder = (dataDir: string): string => join(dataDir, 'columns');

export function columnsOfServer(settings: ColumnsSettings) {
  const { columnsMb, columnsMemoryMb } = settings;
  let isServing = false;
  let current: Columns | undefined;
  let show: (underWay: UnderWay | undefined) => void = () => {};
  const restart = ({ host, manifest, queue, workers }: Parts): void => {
    if (!isServing || !settings.columns || current !== undefined) return;
    current = startColumns({
      folder: columnsFolder(host.dataDir),
      maxBytes: columnsMb === undefined ? undefined : columnsMb * MB,
      memoryMb: columnsMemoryMb ?? columnsMemoryMbOf(machineMemory() / MB),
      tempMb: settings.columnsTempMb,
      threads: settings.columnsThreads ?? availableParallelism(),
      write: host.database.write,
      workers,
      manifest,
      clock: host.clock,
      log: host.log,
      auditHours: settings.columnsAuditHours,
      isBusy: () => queue.use().waiting > 0,
      onProgress: (underWay) => show(underWay),
      onDifference: (foundBy) => host.telemetry.count(COPY_DIFFERENCES, { found_by: foundBy }),
    });
  };
  return {
    current: () => current,
    start(parts: Parts) {
      isServing = true;
      restart(parts);
    },
    /** Starts the copy again if the extension is reactivated while the server is running. */
    restart,
    showFilling(openProgress: OpenProgress) {
      show = fillReporter(openProgress);
    },
    async stop() {
      const stopping = current;
      current = undefined;
      await stopping?.stop();
    },
  };
}

function fillReporter(openProgress: OpenProgress): (underWay: UnderWay | undefined) => void {
  let filling: { readonly trackingId: string; readonly progress: Progress } | undefined;
  return (underWay) => {
    if (underWay?.trackingId !== filling?.trackingId || underWay?.of === undefined) {
      filling?.progress.close();
      filling = undefined;
    }
    if (underWay?.of === undefined) return;
    const { trackingId, rows, of } = underWay;
    filling ??= { trackingId, progress: openProgress(of) };
    filling.progress.show(rows, `columnar copy: ${underWayInWords(underWay)}`);
  };
}
