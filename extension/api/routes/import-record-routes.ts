import { z } from 'zod';
import {
  defineRoute,
  type HostUser,
  type ReadPool,
  type RouteDefinition,
} from '../../../host-shim/extension-api';
import { addCounts } from '../../data/import/import-counts';
import {
  type ImportWithRejections,
  importOf,
  listImports,
  type RecordedImport,
} from '../../data/import/import-record';
import { UndoError, undoImport } from '../../data/removal/undo-import';
import { permittedSites } from '../../data/storage/sites/list-sites';
import { maySee } from '../../data/storage/sites/site-states';
import type { Analytics } from '../analytics';
import {
  IMPORT_LIST,
  IMPORT_WITH_ROWS,
  MAX_ID,
  type RECORDED_IMPORT,
  UNDO_REPORT,
} from '../schemas/import-api';
import { importAccess } from './import-access';
import { refusal } from './refusal';

const IMPORT_ID = z.strictObject({
  id: z.int().min(1).max(MAX_ID).describe("The import's id."),
});

export const importRecordRoutes = ({
  host: { clock, database },
  manifest,
}: Pick<Analytics, 'host' | 'manifest'>): readonly RouteDefinition[] => [
  defineRoute({
    ...importAccess,
    path: '/imports',
    methods: ['GET'],
    summary: 'Lists running imports, with their progress, and finished imports; newest first.',
    input: z.strictObject({
      site: z.string().optional().describe('Tracking id of a site; all sites by default.'),
      before: z.int().min(1).max(MAX_ID).optional().describe('Only imports with a lower id.'),
    }),
    output: { 200: IMPORT_LIST },
    async handle({ user, values: { site, before } }) {
      const permitted = await permittedSites(database.read, user?.sites ?? []);
      const sites = permitted.map(({ trackingId }) => trackingId);
      const { imports, older } = await listImports(database.read, {
        sites: site === undefined ? sites : sites.filter((one) => one === site),
        ...(before === undefined ? {} : { before }),
      });
      return { status: 200, body: { imports: imports.map(recordOf), older } };
    },
  }),
  defineRoute({
    ...importAccess,
    path: '/imports/{id}',
    methods: ['GET'],
    summary: 'Shows an import with its rejected rows.',
    input: IMPORT_ID,
    output: { 200: IMPORT_WITH_ROWS },
    async handle({ user, values: { id } }) {
      const found = await visibleImport(database.read, user, id);
      if (found === undefined) return notFound(id);
      return { status: 200, body: { ...recordOf(found), rejected_rows: [...found.rejections] } };
    },
  }),
  defineRoute({
    ...importAccess,
    path: '/imports/{id}/undo',
    methods: ['POST'],
    summary: 'Undoes an import: removes the rows that it added, and restores the values that it replaced.',
    input: IMPORT_ID,
    output: { 200: UNDO_REPORT },
    async handle({ user, values: { id } }) {
      if (user === null || (await visibleImport(database.read, user, id)) === undefined) return notFound(id);
      const options = { write: database.write, manifest, importId: id, login: user.login, clock };
      try {
        const { trackingId, material, removed, restored, gone } = await undoImport(options);
        const report = { import_id: id, site: trackingId, material, removed, restored, removed_before: gone };
        return { status: 200, body: report } as const;
      } catch (error) {
        if (!(error instanceof UndoError)) throw error;
        const { reason, first = null } = error;
        return refusal(409, 'import_not_undone', error.message, { reason, undo_first: first });
      }
    },
  }),
];

async function visibleImport(
  read: ReadPool,
  user: HostUser | null,
  id: number,
): Promise<ImportWithRejections | undefined> {
  const found = await importOf(read, id);
  return found !== undefined && maySee(user?.sites ?? [], found.trackingId) ? found : undefined;
}

const notFound = (id: number) => refusal(404, 'import_not_found', `There is no import ${id}.`);

function recordOf(run: RecordedImport): z.input<typeof RECORDED_IMPORT> {
  const { material, format, login, through, status, seconds, bytes, error } = run;
  return {
    import_id: run.importId,
    site: run.trackingId,
    file: run.source,
    source: run.sourceName,
    started_at: run.startedAt.toISOString(),
    status,
    material,
    format,
    login,
    through,
    seconds,
    bytes,
    error,
    can_undo: run.canUndo,
    undone_at: run.undoneAt?.toISOString() ?? null,
    undone_by: run.undoneBy,
    ...addCounts([run]),
  };
}
