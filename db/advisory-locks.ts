/** The keys of the host's advisory locks (the first key, if a lock has two). The extension's keys begin with 7216. */
export const HOST_LOCKS = {
  /** Shared by all processes that use the data directory. A process that holds it exclusively may stop the server. */
  dataDirectory: 7_411_001,
  migrations: 7_411_002,
  /** Held by the one process that serves HTTP from the data directory. */
  httpServer: 7_411_003,
  readerRole: 7_411_004,
  /** The second key is the hash of the job's name. */
  job: 7_411_005,
  /** Held while a backup is restored. */
  restore: 7_411_006,
} as const;
