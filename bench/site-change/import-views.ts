// Imports a file of page views, as the import command does.
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { ImportReport } from '../../extension/data/import/import-options';
import { importFile } from '../../extension/data/import/import-together';
import { IMPORT_LIMITS, type ImportLimits } from '../../extension/data/import/limits';
import { loadManifest } from '../../manifests/reader/manifest';
import { SITE } from './databases';
import { FORMAT, type Kind } from './files';

const manifest = loadManifest();

export const importViews = (
  write: Knex,
  kind: Kind,
  input: Readable,
  limits: Partial<ImportLimits> = {},
): Promise<ImportReport> =>
  importFile({
    write,
    manifest,
    material: 'allpv',
    site: SITE,
    format: FORMAT[kind],
    input,
    source: 'bench',
    onError: 'stop',
    clock: () => new Date(),
    limits: { ...IMPORT_LIMITS, ...limits },
  });
