// The options of both pools.
import { NUMBER_TYPES } from './number-types';

/** How a pool reaches its server. */
export type Connection = Place | MovingPlace;

/** The address of the server, which may change: each new connection uses the current one. */
export interface MovingPlace {
  /** The same object until it changes. */
  current(): Place;
  /** `leave` is called after a change, to end the open connections. */
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
  /** The application name of its connections. */
  readonly name: string;
  /** Applied to every connection before its first use. */
  readonly settings: Readonly<Record<string, string>>;
  /** Megabytes of temporary files that one process of a statement may write, if the role may set this limit. */
  readonly tempFileMb?: number | undefined;
  readonly poolMax: number;
  /** How long the server may take to respond, and how long a statement may be silent before the server is asked about it. */
  readonly silenceSeconds?: number | undefined;
  onPoolError(error: Error): void;
}

/** The longest wait for a free connection. */
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

/** The same for a question on a separate connection. */
export const askingConfig = (options: PoolOptions) => ({
  ...clientConfig(options),
  query_timeout: silenceOf(options),
});

/** The statements that apply a connection's settings. */
export const settingsStatement = ({ settings, tempFileMb }: PoolOptions): string =>
  [
    ...Object.entries(settings).map(([setting, value]) => `SET ${setting} = '${value}'`),
    ...(tempFileMb === undefined ? [] : [limitTempFiles(tempFileMb)]),
  ].join('; ');

const limitTempFiles = (megabytes: number): string =>
  `SELECT set_config('temp_file_limit', '${megabytes}MB', false)
    WHERE has_parameter_privilege('temp_file_limit', 'SET')`;
