// Runs the worked examples in the guide on a few visits that can be counted by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { importRows } from '../../extension/data/import/import-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../extension/language/parse/read-document';
import { createContext, manifest } from '../language/query-setup';
import { runWhole } from '../support/run-whole';
import { useTestDatabase } from '../support/use-database';
import { blocksOf, wholeQuery } from './fenced-blocks';

const PAGE = 'manifests/guide/examples.md';

const view = z.tuple([z.string(), z.string(), z.int().nullable(), z.int().nullable(), z.int()]);
const given = z
  .strictObject({
    visits: z.array(
      z.strictObject({
        visitor: z.int(),
        is_new: z.int(),
        device: z.string(),
        country: z.string(),
        source: z.string().optional(),
        campaign: z.string().optional(),
        views: z.array(view),
      }),
    ),
    searches: z.array(z.record(z.string(), z.unknown())),
    answers: z.record(z.string(), z.array(z.array(z.unknown()))),
  })
  .parse(load(readFileSync(join(__dirname, 'worked-examples.yaml'), 'utf8')));

const database = useTestDatabase();

beforeAll(async () => {
  const goal = {
    id: 1,
    name: 'Order',
    type: 'gtype_page',
    condition: { url: '/thanks/', match: 'contains' },
  };
  await applySites(database.write, {
    sites: [
      {
        tracking_id: 'demo',
        domain: 'demo.example',
        name: 'Demo',
        timezone: 'Europe/Berlin',
        goals: [goal],
      },
    ],
  });
  const rows = given.visits.flatMap(({ visitor, is_new, device, country, source, campaign, views }, visit) =>
    views.map(([time, url, speed_msec, browse_sec, rage], index) => ({
      pv_id: 10 * visit + index + 1,
      session_id: visit + 1,
      reader_id: visitor,
      pv: index + 1,
      access_time: time,
      url,
      speed_msec,
      browse_sec,
      irritation_click_count: rage,
      device_type: device,
      country_code: country,
      utm_source: source,
      utm_campaign: campaign,
      is_newuser: is_new,
      is_last: index === views.length - 1 ? 1 : 0,
    })),
  );
  await importRows(database.write, manifest, { material: 'allpv', site: 'demo', rows });
  await importRows(database.write, manifest, { material: 'gsc', site: 'demo', rows: given.searches });
});

const text = readFileSync(join(__dirname, '..', '..', PAGE), 'utf8').split('\n');
/** The question above a block. */
const questionOf = (place: string): string => text[Number(place.split(':').at(-1)) - 3] ?? '';

const examples = blocksOf(PAGE, 'json').map((block) => ({ ...block, question: questionOf(block.place) }));

test.each(Object.entries(given.answers))('%s', async (question, rows) => {
  const [example, ...others] = examples.filter((block) => block.question.startsWith(question));
  expect(others).toEqual([]);
  const query = wholeQuery(example ?? { place: PAGE, text: '{}' });
  const result = await runWhole(readDocument(query), await createContext(database));
  expect(result.rows).toEqual(rows);
});
