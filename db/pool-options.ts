import { Client, type ClientConfig, types } from 'pg';

export type Connection = Place | MovingPlace;

/** An address that may change: each new connection uses the current one. */
export interface MovingPlace {
  current(): Place;
  /** `leave` is called after a change, to end open connections. */
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
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Megabytes of temporary files that one process of a statement may write, if the role may set this limit. */
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

const LARGEST = 2 ** 53;
const { INT8, NUMERIC, DATE } = types.builtins;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const DATE_ARRAY = 1182;
// Annotated as a number because pg's type list has no arrays.
const TEXT_ARRAY: number = 1009;

type Parser = (text: string) => unknown;

function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && Math.abs(value) < LARGEST) return value;
  throw new RangeError(
    `The database returned ${text}, which a number cannot represent exactly (below 2^53).`,
  );
}

function eachOf(value: unknown, parse: Parser): unknown {
  if (Array.isArray(value)) return value.map((item) => eachOf(item, parse));
  return typeof value === 'string' ? parse(value) : value;
}

function arrayOf(parse: Parser): Parser {
  const split: Parser = types.getTypeParser(TEXT_ARRAY, 'text');
  return (text) => eachOf(split(text), parse);
}

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, exactNumber],
  [NUMERIC, exactNumber],
  [DATE, (text) => text],
  [INT8_ARRAY, arrayOf(exactNumber)],
  [NUMERIC_ARRAY, arrayOf(exactNumber)],
  [DATE_ARRAY, arrayOf((text) => text)],
]);

/** For our connections only; others in this process keep pg's parsers. */
const NUMBER_TYPES = {
  getTypeParser(oid: number, format?: string): Parser {
    const own = format === 'binary' ? undefined : PARSERS.get(oid);
    return own ?? types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text');
  },
};

/** Runs `work` on a connection outside the pools, which may be exhausted or unresponsive. */
export async function onSeparateConnection<T>(
  config: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // `end` would wait for the server.
    client.connection.stream.destroy();
  }
}
