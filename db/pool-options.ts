import { NUMBER_TYPES } from './number-types';

export type Connection = Place | MovingPlace;

/** An address that may change: each new connection uses the current one. */
export interface MovingPlace {
  current(): Place;
  /** `disconnect` is called after a change, to close open connections. */
  onMove(disconnect: () => void): void;
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
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Megabytes of temporary files that each process of a statement may write, if the role may set this limit. */
  readonly tempFileMb?: number | undefined;
  readonly poolMax: number;
  /** How long the server may take to respond before it is checked. */
  readonly silenceSeconds?: number | undefined;
  onPoolError(error: Error): void;
}

export const PATIENCE_SECONDS = 10;

const SILENCE_SECONDS = 10;
const KEEP_ALIVE_MS = 10_000;

export const silenceOf = ({ silenceSeconds = SILENCE_SECONDS }: PoolOptions): number => silenceSeconds * 1000;

const currentPlace = ({ connection }: PoolOptions): Place =>
  'current' in connection ? connection.current() : connection;

export const clientConfig = (options: PoolOptions) => ({
  ...currentPlace(options),
  application_name: options.name,
  types: NUMBER_TYPES,
  connectionTimeoutMillis: silenceOf(options),
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});

export const askingConfig = (options: PoolOptions) => ({
  ...clientConfig(options),
  query_timeout: silenceOf(options),
});

export const settingsStatement = ({ settings, tempFileMb }: PoolOptions): string =>
  [
    ...Object.entries(settings).map(([setting, value]) => `SET ${setting} = '${value}'`),
    ...(tempFileMb === undefined ? [] : [limitTempFiles(tempFileMb)]),
  ].join('; ');

const limitTempFiles = (megabytes: number): string =>
  `SELECT set_config('temp_file_limit', '${megabytes}MB', false)
    WHERE has_parameter_privilege('temp_file_limit', 'SET')`;
