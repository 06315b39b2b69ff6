// The feature switches of this installation, in the database. A switch may exist for a feature that no contract has.
import type { Knex } from 'knex';
import type { ReadPool } from '../../../host-shim/extension-api';
import { analytics } from '../../data/storage/build-query';

interface FeatureSwitch {
  readonly feature: string;
  readonly enabled: boolean;
  readonly changedAt: Date;
}

export const SWITCHED_OFF = 'SELECT feature FROM analytics.feature_switch WHERE NOT enabled';

/** Prepared, because every request runs it. */
export async function switchedOff(read: ReadPool): Promise<ReadonlySet<string>> {
  const rows = await read.query<{ feature: string }>({ name: 'switched-off', text: SWITCHED_OFF });
  return new Set(rows.map(({ feature }) => feature));
}

/** All switches that have ever been set, sorted by name. */
export function listSwitches(read: ReadPool): Promise<readonly FeatureSwitch[]> {
  return read.select(
    analytics('feature_switch')
      .select<FeatureSwitch[]>({ feature: 'feature', enabled: 'enabled', changedAt: 'changed_at' })
      .orderBy('feature'),
  );
}

/** If the switch already has this value, its date is not changed. */
export async function setSwitch(write: Knex, { feature, enabled, changedAt }: FeatureSwitch): Promise<void> {
  await write
    .withSchema('analytics')
    .from('feature_switch')
    .insert({ feature, enabled, changed_at: changedAt })
    .onConflict('feature')
    .merge()
    .where('feature_switch.enabled', '!=', enabled);
}
