// Imports a file of page views through any loader: what `importFile` does around it, without progress and reports.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { deriveContext, loadSiteRules } from '../../extension/data/import/derive/site-rules';
import { fillBatches } from '../../extension/data/import/fill-batches';
import { findSite } from '../../extension/data/import/find-site';
import { openSource } from '../../extension/data/import/formats/open-source';
import { readRows } from '../../extension/data/import/formats/read-rows';
import { IMPORT_LIMITS, type ImportLimits } from '../../extension/data/import/limits';
import type { LoadTotals, MaterialLoader } from '../../extension/data/import/loader';
import type { LoaderContext } from '../../extension/data/import/loader-context';
import { findLoader } from '../../extension/data/import/loaders';
import { timeParser } from '../../extension/data/import/parse-time';
import { recordEnd, recordStart } from '../../extension/data/import/record-import';
import { takeTurns } from '../../extension/data/import/turns';
import { inTransaction } from '../../extension/data/storage/in-transaction';
import { tryLockSite } from '../../extension/data/storage/site-locks';
import type { Manifest } from '../../manifests/reader/manifest';

export type OpenLoader = (context: LoaderContext) => Promise<MaterialLoader>;

interface ThroughOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly site: string;
  readonly format: string;
  readonly input: string | Readable;
  readonly openLoader: OpenLoader;
  readonly limits?: Partial<ImportLimits>;
}

/** The current loader of the program. */
export const presentLoader = (manifest: Manifest): OpenLoader => findLoader(manifest, 'allpv').openLoader;

/** Imports the file in one transaction that can be undone. */
export async function importThrough(
  options: ThroughOptions,
): Promise<LoadTotals & { readonly read: number }> {
  const { write, manifest, site, openLoader } = options;
  const limits = { ...IMPORT_LIMITS, ...options.limits };
  const { material } = findLoader(manifest, 'allpv');
  const siteId = await findSite(write, site);
  return inTransaction(write, async (client: Client) => {
    const startedAt = new Date();
    const importId = await recordStart(client, write, {
      ...{ siteId, material: 'allpv', source: 'bench', sourceName: undefined, format: options.format },
      ...{ by: { login: 'local', through: 'command' }, startedAt },
    });
    if (!(await tryLockSite(client, siteId))) throw new Error('The site is locked.');
    await client.query("SET LOCAL work_mem = '32MB'");
    const opened = await openSource({
      input: typeof options.input === 'string' ? createReadStream(options.input) : options.input,
      onBytes: () => undefined,
      formats: manifest.formats,
      format: options.format,
    });
    const parseTime = timeParser(undefined);
    const rule = opened.format.materials.allpv;
    const loader = await openLoader({
      ...{ client, write, manifest, material, siteId, parseTime, limits, isDry: false },
      ...{
        browseSec: rule?.browse_sec !== undefined,
        onConflict: 'replace',
        duplicates: rule?.duplicates ?? 'refuse',
      },
      ...{ sourceName: undefined, undo: { importId } },
    });
    const derive = deriveContext(await loadSiteRules(client, siteId), parseTime, undefined);
    const flow = fillBatches(loader, { onError: 'stop', limits, onRejected: () => undefined });
    try {
      await readRows(
        opened,
        {
          ...{ format: opened.format, material: 'allpv', renamed: new Map(), unseen: new Set() },
          ...{ constants: new Map(), optIns: new Set(), derive },
        },
        flow.sink,
        takeTurns(() => undefined),
      );
      await flow.finish();
    } finally {
      await flow.settle();
    }
    const totals = await loader.finish();
    await recordEnd(client, importId, {
      ...{ ...totals, read: flow.read(), rejected: 0, skipped: {}, format: opened.format.name, bytes: 0 },
      ...{ finishedAt: new Date(), rejections: [], status: 'done', error: undefined },
    });
    return { ...totals, read: flow.read() };
  });
}
