// Owns the SQL form in which values leave the database.

import type { ColumnType } from '../../../manifests/reader/schema';
import type { LocalClock } from '../../time/local-clock';
import { type Sql, sql } from './block';
import { localTime } from './expressions';

/**
 * Datetimes and dates leave the database as text, datetimes as the local clock shows them; decimals as doubles, rounded
 * here once.
 */
export function printed(value: Sql, type: ColumnType, clock: LocalClock): Sql {
  switch (type) {
    case 'datetime':
      return sql(`to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS')`, localTime(value, clock));
    case 'date':
      return sql(`to_char({}, 'YYYY-MM-DD')`, value);
    case 'num':
      return sql('{}::float8', value);
    case 'id':
    case 'int':
    case 'flag':
    case 'text':
      return value;
  }
}
