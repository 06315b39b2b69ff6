// The interface between the host and its extensions: types, and the few values that both sides need.

export { unknownRoles, unknownRolesMessage } from '../db/citus';
export { type ConnectionPool, NoConnection, type Queryable } from '../db/connection-pool';
export { createFolder, giveToOwnerOf } from '../db/create-folder';
export { codeOf, ignoreMissing, messageOf } from '../db/embedded/errors';
export { machineMemory } from '../db/machine-memory';
export type { BackupQuestion } from '../db/migrate';
export type { Patience, ReadPool, StreamRows } from '../db/read-pool';
export type { Replicas } from '../db/replicas';
export { copyFrom, copyTo } from '../db/run-copy';
export { syncPath } from '../db/sync-to-disk';
export { isOfWorker, isUnavailable, workerAway, workerFault } from '../db/unavailable';
export { poolOf } from '../db/write-pool';
export * from './extension-api/commands';
export * from './extension-api/extension';
export * from './extension-api/formatting';
export * from './extension-api/health';
export * from './extension-api/hooks';
export * from './extension-api/json-list';
export * from './extension-api/messages';
export * from './extension-api/package-root';
export * from './extension-api/pages';
export * from './extension-api/routes';
export * from './extension-api/settings';
export * from './extension-api/telemetry';
export * from './extension-api/users';
export * from './extension-api/wait-or-stop';
