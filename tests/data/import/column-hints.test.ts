// Column names from other programs are recognized, and the error suggests our name for the column.
import { importRows } from '../../../extension/data/import/import-rows';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite } from './import-setup';

const database = useTestDatabase();

test.each([
  ['allpv', 'timestamp', 'it is called access_time here'],
  ['allpv', 'createdAt', 'it is called access_time here'],
  ['allpv', 'Page', 'it is called url here'],
  ['allpv', 'remote_addr', 'it is called ip here'],
  ['allpv', 'User-Agent', 'it is called user_agent here'],
  ['datalayer_event', 'event', 'it is called event_name here'],
  ['gsc', 'query', 'it is called keyword here'],
  ['click_event', 'user_agent', 'the most similar name is'],
  ['allpv', 'titel', 'the most similar name is title'],
  // conformance: beyond.logs-exports-other
])('%s: %s', async (material, name, hint) => {
  const site = await newSite(database.write);
  const rows = [{ [name]: 'x' }];
  await expect(importRows(database.write, manifest, { material, site, rows })).rejects.toThrow(
    `column ${name}, value "x": ${material} has no such column; ${hint}`,
  );
});
