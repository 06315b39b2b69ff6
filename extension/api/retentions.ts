// Removes old data: dataset rows by their day, and other records by their age. Each site has its own retention period for visits.
import { daysBefore, OLD_RECORDS, type RecordKind } from '../data/removal/old-records';
import { removeOldRows } from '../data/removal/old-rows';
import { removeOldVisits } from '../data/removal/old-visits';
import type { HourlyWork, RetentionOptions } from '../data/removal/retention';
import type { AnalyticsSettings } from './settings';

type Days = Extract<keyof AnalyticsSettings, `${string}Days`>;

const OF_DATASETS: Readonly<Record<string, Days>> = {
  gsc: 'gscDays',
  ga4_age_gender: 'ga4Days',
  ga4_country: 'ga4Days',
  ga4_region: 'ga4Days',
  page_version: 'pageVersionDays',
};

const OF_RECORDS: readonly (readonly [RecordKind, Days])[] = [
  ['query records', 'queryRecordDays'],
  ['rejected rows', 'rejectedRowDays'],
  ['import records', 'importRecordDays'],
];

/** The removals that a server runs every hour. */
export function retentions(
  options: RetentionOptions & { readonly dataDir: string },
  settings: Pick<AnalyticsSettings, Days>,
): readonly HourlyWork[] {
  const rows = Object.entries(OF_DATASETS).flatMap(([material, setting]) => {
    const days = settings[setting];
    return days === undefined ? [] : [{ material, days }];
  });
  return [
    {
      failure: 'Rows that are too old could not be removed',
      run: (_now, signal) => removeOldRows(options, rows, signal),
    },
    {
      failure: 'Visits that are too old could not be removed',
      run: (_now, signal) => removeOldVisits(options, signal),
    },
    ...OF_RECORDS.map(
      ([kind, setting]): HourlyWork => ({
        failure: `Old ${kind} could not be removed`,
        async run(now) {
          const days = settings[setting];
          if (days !== undefined) await OLD_RECORDS[kind](options, daysBefore(now, days));
        },
      }),
    ),
  ];
}
