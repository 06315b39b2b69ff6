// The parts of a host that removals need. By default, the ledger is in memory, and there is no folder for files.
import { accounts } from '../../host-shim/accounts/accounts';
import { callerRecords } from '../../host-shim/accounts/caller-records';
import { withdrawSite } from '../../host-shim/accounts/known-sites';
import { type Host, type Ledger, NO_TELEMETRY } from '../../host-shim/extension-api';
import type { TestDatabase } from './database';
import { createMemoryLog } from './memory-log';

export function memoryLedger(): Ledger {
  const known = new Set<string>();
  return {
    read: async (isWanted = () => true) => ({ lines: [...known].filter(isWanted), faults: [] }),
    async add(lines) {
      for (const line of lines) known.add(line);
      return [];
    },
  };
}

export function removalHost(
  database: Pick<TestDatabase, 'read' | 'write'>,
  clock: () => Date,
  { dataDir = '/nonexistent', ledger = memoryLedger() }: { dataDir?: string; ledger?: Ledger } = {},
) {
  return {
    clock,
    database,
    log: createMemoryLog().log,
    telemetry: NO_TELEMETRY,
    dataDir,
    callerRecords,
    withdrawSite: (client, trackingId) => withdrawSite({ doAction: async () => {} }, client, trackingId),
    openLedger: () => ledger,
    accounts,
    messages: {},
  } satisfies Partial<Host>;
}
