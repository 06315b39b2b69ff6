// The catalog of a small site, for tests of the editor's modules.

import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { queryJsonSchema } from '../../../extension/api/schemas/query-json-schema';
import type { Catalogue } from '../../../extension/pages/shared-types/catalogue';
import { loadManifest } from '../../../manifests/reader/manifest';

const column = (name: string, type: string, more: object = {}) => ({
  name,
  type,
  about: `About ${name}`,
  ...more,
});

const SHOP: Omit<Catalogue, 'schema'> = {
  tracking_id: 'shop',
  timezone: 'Europe/Berlin',
  first_day: '2026-08-01',
  last_day: '2026-10-31',
  all_sites: true,
  materials: [
    {
      name: 'allpv',
      about: 'A page view',
      columns: [
        column('pv_id', 'id'),
        column('url', 'text'),
        column('access_date', 'date'),
        column('device_type', 'text', { values: ['PC', 'SP', 'tablet'] }),
        column('browse_sec', 'int'),
      ],
      join: ['pv_id'],
    },
    {
      name: 'click_event',
      about: 'A click',
      columns: [column('pv_id', 'id'), column('selector', 'text')],
      join: ['pv_id'],
    },
    { name: 'goal_1', about: 'A visit', columns: [column('pv_id', 'id')], join: [] },
  ],
  goals: [{ id: 1, name: 'Anmeldung „groß“', material: 'goal_1' }],
  functions: [
    { name: 'COUNT', about: 'Rows that have a value.', types: ['id', 'int', 'text', 'date'] },
    { name: 'SUM', about: 'Sum.', types: ['id', 'int'] },
    { name: 'PERCENTILE', about: 'A share.', types: ['id', 'int'] },
  ],
  operators: [
    { name: 'eq', about: 'Equal.', types: ['id', 'int', 'text', 'date'] },
    { name: 'contains', about: 'Has the text in it.', types: ['text'] },
  ],
  examples: [],
};

export const SITES = [
  { tracking_id: 'shop', name: 'The shop' },
  { tracking_id: 'blog', name: 'ブログ' },
];

const contracts = installedContracts(loadManifest());

/** The data that the server provides for the site, with the schema of a contract. */
export function siteCatalogue(version = '2026-05-11'): Catalogue {
  const contract = contracts.find((it) => it.version === version);
  if (contract === undefined) throw new Error(`There is no contract ${version}.`);
  const schema = queryJsonSchema(contract, new Set(['Asia/Tokyo', 'Europe/Berlin', 'UTC']));
  return { ...SHOP, schema: JSON.parse(JSON.stringify(schema)) };
}
