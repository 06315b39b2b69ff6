// Settings of the embedded server, passed on its command line because they belong to the program, not to the data directory.
import { totalmem } from 'node:os';

const MB = 1024 * 1024;

export type ServerSettings = Readonly<Record<string, string>>;

/** Sizes depend on the machine's memory (in bytes), within limits that suit laptops and small servers. */
export function serverSettings(memory: number = totalmem()): ServerSettings {
  const megabytes = Math.floor(memory / MB);
  return {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    dynamic_shared_memory_type: 'mmap',
    max_connections: '100',
    shared_buffers: `${Math.max(32, Math.min(256, Math.floor(megabytes / 8)))}MB`,
    effective_cache_size: `${Math.max(128, Math.floor(megabytes / 2))}MB`,
    maintenance_work_mem: '128MB',
    random_page_cost: '1.1',
    jit: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    synchronous_commit: 'on',
    // Ends a query whose client was killed.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
  };
}

export function settingArguments(settings: ServerSettings): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
