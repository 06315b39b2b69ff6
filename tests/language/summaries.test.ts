// Summaries return the same numbers as queries on page views.
import { readDocument } from '../../extension/language/parse/read-document';
import { runWhole } from '../support/run-whole';
import { useCaseDatabase } from './query-setup';

const opened = useCaseDatabase();

/** The last period starts in the middle of a visit. */
const PERIODS = [
  { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'Europe/Berlin' },
  { start: '2026-04-30T15:00:10', end: '2026-05-02T15:00:00', tz: 'UTC' },
];

type View = Readonly<Record<string, unknown>>;

async function rowsOf(site: string, time: object, material: string, view: View) {
  const query = {
    tracking_id: site,
    materials: [{ name: material }],
    time,
    make: { v: { from: [material], ...view } },
    result: { use: 'v' },
  };
  return (await runWhole(readDocument(JSON.stringify(query)), opened.context)).rows;
}

const sums = (material: string, ...measures: string[]) =>
  Object.fromEntries(measures.map((measure) => [measure, `SUM(${material}.${measure})`]));

describe.each(['shop', 'all'])('%s', (site) => {
  test.each(PERIODS)('from $start to $end in $tz', async (time) => {
    const ask = (material: string, view: View) => rowsOf(site, time, material, view);
    const counted = { n: 'COUNT(allpv.pv_id)' };

    const pages = await ask('summary_allpage', {
      keep: ['summary_allpage.tracking_id', 'summary_allpage.url', 'summary_allpage.utm_source'],
      calc: sums('summary_allpage', 'pv_count', 'time_on_page', 'exit_count'),
    });
    expect(pages.length).toBeGreaterThan(2);
    expect(pages).toEqual(
      await ask('allpv', {
        keep: ['allpv.tracking_id', 'allpv.url', 'allpv.utm_source'],
        calc: { ...counted, seconds: 'SUM(allpv.browse_sec)', exits: 'SUM(allpv.is_last)' },
      }),
    );

    const landings = await ask('summary_landingpage', {
      keep: ['summary_landingpage.tracking_id', 'summary_landingpage.url', 'summary_landingpage.device_type'],
      calc: sums('summary_landingpage', 'session_count', 'bounce_count'),
    });
    expect(landings).toEqual(
      await ask('allpv', {
        keep: ['allpv.tracking_id', 'allpv.url', 'allpv.device_type'],
        filter: { pv: 1 },
        calc: { ...counted, bounces: 'SUM(allpv.is_last)' },
      }),
    );

    const classes = [
      'tracking_id',
      'device_type',
      'utm_source',
      'utm_medium',
      'utm_campaign',
      'source_domain',
    ];
    const keep = (material: string) => [...classes, 'is_newuser'].map((column) => `${material}.${column}`);
    const detail = 'summary_days_access_detail';
    expect(
      await ask(detail, {
        keep: keep(detail),
        calc: sums(detail, 'pv_count', 'session_count', 'user_count'),
      }),
    ).toEqual(
      await ask('allpv', {
        keep: keep('allpv'),
        calc: {
          ...counted,
          visits: 'COUNTUNIQUE(allpv.session_id)',
          visitors: 'COUNTUNIQUE(allpv.reader_id)',
        },
      }),
    );
  });
});
