import { join } from 'node:path';
import { z } from 'zod';
import { readYaml } from './read-yaml';

const words = z.string().transform((text) => text.split(/\s+/));
const pairs = z.record(z.string(), z.string());

const knownWordsSchema = z.strictObject({
  column_synonyms: z.record(z.string(), words),
  log_fields: z.record(z.string(), words),
  w3c_fields: pairs,
  click_ids: pairs,
  static_files: words,
  devices: pairs,
  os_families: pairs,
  countries: words,
  country_codes: pairs,
  country_names: pairs,
});

/** Words from other programs and standards that imports recognize. */
export const KNOWN_WORDS = readYaml('known-words.yaml', knownWordsSchema, join(__dirname, '..'));
