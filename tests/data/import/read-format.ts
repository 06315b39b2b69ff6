// Reads files as the importer does, and returns the rows that it would store.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { deriveContext } from '../../../extension/data/import/derive/site-rules';
import { eventLoopTurns, type Turns } from '../../../extension/data/import/event-loop-turns';
import { openSource, type SourceOptions } from '../../../extension/data/import/formats/open-source';
import type { ReadOptions, RowSink } from '../../../extension/data/import/formats/read-rows';
import { readRows } from '../../../extension/data/import/formats/read-rows';
import { timeParser } from '../../../extension/data/import/parse-time';
import { loadManifest } from '../../../manifests/reader/manifest';

const { formats } = loadManifest();
const RULES = {
  domain: 't.example',
  hosts: [],
  clickIds: ['fbclid', 'gclid'],
  removed: ['fbclid', 'gclid'],
  secret: Buffer.alloc(32, 7),
  period: 'day',
  timezone: 'Europe/Berlin',
} as const;

interface Read {
  readonly format: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly skipped: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

type Overrides = Partial<SourceOptions> & Partial<Omit<ReadOptions, 'format'>> & { readonly domain?: string };

/** Reads a stream of bytes as the importer does. */
export async function readStream(
  input: Readable,
  material: string,
  overrides: Overrides = {},
  turns: Turns = eventLoopTurns(() => undefined),
): Promise<Read> {
  const opened = await openSource({ input, onBytes: () => undefined, formats, ...overrides });
  const { format } = opened;
  const rows: Record<string, unknown>[] = [];
  const skipped: Record<string, number> = {};
  const wrong: string[] = [];
  let names: readonly string[] = [];
  const sink: RowSink = {
    header: (all) => {
      names = all;
    },
    row: (row) => {
      const entries = Array.isArray(row)
        ? row.map((value, index): [string, unknown] => [names[index] ?? '', value])
        : Object.entries(row);
      rows.push(Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== undefined)));
    },
    wrong: (fault, line) => void wrong.push(`${line} ${fault.column}: ${fault.message}`),
    broken: (_text, line, reason) => void wrong.push(`${line}: ${reason}`),
    skip: (reason) => {
      skipped[reason] = (skipped[reason] ?? 0) + 1;
    },
    full: () => false,
    drain: async () => undefined,
  };
  const placeOf = (ip: string) => (ip === '203.0.113.7' ? { country_code: 'DE' } : {});
  const { domain = RULES.domain } = overrides;
  const derive = deriveContext({ ...RULES, domain }, timeParser(format.timezone), placeOf);
  const options = {
    renamed: new Map(),
    unseen: new Set<string>(),
    constants: new Map(),
    optIns: new Set<never>(),
    ...overrides,
  };
  await readRows(opened, { ...options, format, material, derive }, sink, turns);
  return { format: format.name, rows, skipped, wrong };
}

export const sample = (name: string) => createReadStream(join(__dirname, 'samples', name));
export const readSample = (name: string, material: string, overrides?: Overrides) =>
  readStream(sample(name), material, { fileName: name, ...overrides });
export const readText = (text: string | Buffer, material: string, overrides?: Overrides) =>
  readStream(Readable.from([Buffer.from(text)]), material, overrides);

/** A time as Unix seconds. */
export const at = (text: string): number => Date.parse(text) / 1000;
