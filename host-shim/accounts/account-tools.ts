import type { Knex } from 'knex';
import type { Clock } from '../extension-api';
import type { Hooks } from '../extensions/hooks';

export interface AccountTools {
  readonly clock: Clock;
  readonly hooks: Hooks;
  readonly write: Knex;
}
