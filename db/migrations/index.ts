// The migrations in their order. The names are recorded in databases: they never change, and carry no extension,
// since a run from source and a run from dist/ must agree on them.
import type { Knex } from 'knex';
import * as host from './0001-host';
import * as analytics from './0002-analytics';
import * as featureSwitch from './0003-feature-switch';
import * as conversionView from './0004-conversion-view';
import * as updatedRows from './0005-updated-rows';
import * as sessionsAndKeys from './0006-sessions-and-keys';
import * as queryRecords from './0007-query-records';
import * as rollups from './0008-rollups';
import * as conversionTimes from './0009-conversion-times';

export interface Migration {
  readonly name: string;
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-host', up: host.up, down: host.down },
  { name: '0002-analytics', up: analytics.up, down: analytics.down },
  { name: '0003-feature-switch', up: featureSwitch.up, down: featureSwitch.down },
  { name: '0004-conversion-view', up: conversionView.up, down: conversionView.down },
  { name: '0005-updated-rows', up: updatedRows.up, down: updatedRows.down },
  { name: '0006-sessions-and-keys', up: sessionsAndKeys.up, down: sessionsAndKeys.down },
  { name: '0007-query-records', up: queryRecords.up, down: queryRecords.down },
  { name: '0008-rollups', up: rollups.up, down: rollups.down },
  { name: '0009-conversion-times', up: conversionTimes.up, down: conversionTimes.down },
];
