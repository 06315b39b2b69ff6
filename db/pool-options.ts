// What both pools are opened with.
import { NUMBER_TYPES } from './number-types';

/** How a pool reaches its server. */
export type Connection = Place | MovingPlace;

/** Where the server is may change: each new connection goes to the current place. */
export interface MovingPlace {
  /** The same object until it changes. */
  current(): Place;
  /** `leave` is called when it has changed, to end the connections that are open. */
  onMove(leave: () => void): void;
}

type Place =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
      readonly ssl: false;
    };

export interface PoolOptions {
  readonly connection: Connection;
  /** The name by which the database knows its connections. */
  readonly name: string;
  /** Every connection gets them before its first use. */
  readonly settings: Readonly<Record<string, string>>;
  /** Megabytes of temporary files that one process of a statement may write, where the role may set such a limit. */
  readonly tempFileMb?: number | undefined;
  readonly poolMax: number;
  /** How long the server may be silent: when it is asked something, and on a statement until it is asked about that. */
  readonly silenceSeconds?: number | undefined;
  onPoolError(error: Error): void;
}

/** How long a free connection is waited for, at most. */
export const PATIENCE_SECONDS = 10;

const SILENCE_SECONDS = 10;
const KEEP_ALIVE_MS = 10_000;

export const silenceOf = ({ silenceSeconds = SILENCE_SECONDS }: PoolOptions): number => silenceSeconds * 1000;

/** The same object until it changes. */
const currentPlace = ({ connection }: PoolOptions): Place =>
  'current' in connection ? connection.current() : connection;

/** How pg connects. */
export const clientConfig = (options: PoolOptions) => ({
  ...currentPlace(options),
  application_name: options.name,
  types: NUMBER_TYPES,
  connectionTimeoutMillis: silenceOf(options),
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});

/** The same for a question on a connection of its own. */
export const askingConfig = (options: PoolOptions) => ({
  ...clientConfig(options),
  query_timeout: silenceOf(options),
});

/** The statements that give a connection its settings. */
export const settingsStatement = ({ settings, tempFileMb }: PoolOptions): string =>
  [
    ...Object.entries(settings).map(([setting, value]) => `SET ${setting} = '${value}'`),
    ...(tempFileMb === undefined ? [] : [limitTempFiles(tempFileMb)]),
  ].join('; ');

const limitTempFiles = (megabytes: number): string =>
  `SELECT set_config('temp_file_limit', '${megabytes}MB', false)
    WHERE has_parameter_privilege('temp_file_limit', 'SET')`;
