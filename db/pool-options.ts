// What both pools are opened with.
import { NUMBER_TYPES } from './number-types';

/** How a pool reaches its server. */
export type Connection =
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
  readonly poolMax: number;
  onPoolError(error: Error): void;
}

/** How long a connection is waited for where nobody says so. */
export const PATIENCE_SECONDS = 30;

/** How pg connects. */
export const clientConfig = ({ connection, name }: PoolOptions) => ({
  ...connection,
  application_name: name,
  types: NUMBER_TYPES,
});

/** The statements that give a connection its settings. */
export const settingsStatement = ({ settings }: PoolOptions): string =>
  Object.entries(settings)
    .map(([setting, value]) => `SET ${setting} = '${value}'`)
    .join('; ');
