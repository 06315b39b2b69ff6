import { z } from 'zod';
import {
  type CheckedRequest,
  defineRoute,
  type NamespaceDefinition,
  type Refusal,
  type RouteDefinition,
} from '../../../host-shim/extension-api';
import { addCounts } from '../../data/import/import-counts';
import { ConnectionLost, ImportError, showValue } from '../../data/import/import-error';
import type { ImportReport } from '../../data/import/import-options';
import { QueueFull } from '../../data/import/import-queue';
import { RECORDED_REJECTIONS, type Rejection, rejectionOf } from '../../data/import/import-record';
import { importFile } from '../../data/import/import-together';
import { SERVER_IMPORT_LIMITS } from '../../data/import/limits';
import { readPairs } from '../../data/import/read-pairs';
import { SpoolError, type Upload } from '../../data/import/upload-spool';
import type { Analytics } from '../analytics';
import {
  IMPORT_INPUT,
  IMPORT_REPORT,
  type ImportValues,
  importOpenApi,
  PREVIEW_ROWS,
} from '../schemas/import-api';
import { checkImport } from './check-import';
import { importAccess } from './import-access';
import { importRecordRoutes } from './import-record-routes';
import { refusal } from './refusal';

export const IMPORT_NAMESPACE = 'qal-data/v1';

const BYTES_PER_MB = 2 ** 20;
const RETRY_SECONDS = 30;
const MULTIPART = 'multipart/form-data';
/** The maximum number of rejected rows in the response to a failed import; its record may have more. */
const MAX_REJECTED_ROWS = 100;

type ImportService = Pick<
  Analytics,
  'host' | 'imports' | 'manifest' | 'places' | 'settings' | 'uploads' | 'workers'
>;

export const importNamespace = (service: ImportService): NamespaceDefinition => {
  const routes = [importRoute(service), ...importRecordRoutes(service)];
  return {
    name: IMPORT_NAMESPACE,
    description: 'Imports rows into a site and reports the outcome.',
    routes: [...routes, openApiRoute(routes)],
    links: { 'service-desc': `/${IMPORT_NAMESPACE}/openapi` },
  };
};

const openApiRoute = (routes: readonly RouteDefinition[]): RouteDefinition =>
  defineRoute({
    path: '/openapi',
    methods: ['GET'],
    summary: 'The OpenAPI document of this namespace.',
    checkedBy: 'host',
    permission: 'public',
    rateLimit: 'none',
    input: z.object({}),
    output: { 200: z.looseObject({}) },
    handle: async () => ({ status: 200, body: { ...importOpenApi(routes) } }),
  });

const importRoute = (service: ImportService): RouteDefinition =>
  defineRoute({
    ...importAccess,
    path: '/import/{material}',
    methods: ['POST'],
    summary: 'Receives the body, and imports it into a site in one transaction.',
    body: 'stream',
    input: IMPORT_INPUT,
    output: { 200: IMPORT_REPORT },
    check: ({ values, user }) => checkImport(service.host.database.read, values, user),
    handle: (request) => importBody(service, request),
  });

async function importBody(
  { host, manifest, imports, places, settings, uploads, workers }: ImportService,
  request: CheckedRequest<ImportValues>,
) {
  const { values, user, signal, headers } = request;
  const { material, site, format, delimiter, map, set, timezone, source: sourceName, file } = values;
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === MULTIPART)
    return refusal(
      415,
      'import_multipart',
      'Send the file itself as the body: use curl -T FILE -X POST, not -F.',
    );
  const declaredBytes = Number(headers['content-length'] ?? 0);
  if (declaredBytes > settings.importMb * BYTES_PER_MB) return tooLarge(settings.importMb, 'QAL_IMPORT_MB');
  const rejections: Rejection[] = [];
  let importId: number | undefined;
  let upload: Upload | undefined;
  try {
    uploads.admit(declaredBytes);
    const receive = async () => {
      upload = await uploads.receive(request.openBody(), declaredBytes);
      return upload;
    };
    const placeOf = await places.open();
    const done = await imports.run(site, signal, receive, ({ input }) =>
      importFile({
        write: host.database.write,
        workers,
        clock: host.clock,
        manifest,
        material,
        site,
        signal,
        input,
        source: file ?? 'HTTP',
        onError: values.on_error,
        onConflict: values.on_conflict,
        optIns: new Set(values.enable),
        by: { login: user?.login ?? '', through: user?.key === null ? 'page' : 'http' },
        wait: true,
        limits: {
          ...SERVER_IMPORT_LIMITS,
          unpackedBytes: settings.importMb * BYTES_PER_MB,
          rejectedRows: settings.importRejectedMax,
        },
        undoableImports: settings.undoableImports,
        format,
        delimiter,
        renamed: map ? readPairs(map) : undefined,
        constants: set ? readPairs(set) : undefined,
        fileName: file,
        timezone,
        sourceName,
        placeOf,
        dryRun: values.dry_run ? { rows: PREVIEW_ROWS } : undefined,
        onRecorded(id) {
          importId = id;
        },
        onRejected(row) {
          if (rejections.length < RECORDED_REJECTIONS) rejections.push(rejectionOf(row));
        },
      }),
    );
    return { status: 200, body: reportOf(done, values, rejections) } as const;
  } catch (error) {
    if (error instanceof QueueFull)
      return retryLater(
        'import_queue_full',
        `Too many imports are waiting; try again in ${RETRY_SECONDS} s.`,
      );
    if (error instanceof SpoolError)
      return notReceived(error, settings.spoolMb, declaredBytes, headers['content-encoding']);
    if (error instanceof ConnectionLost)
      return retryLater('import_interrupted', error.message, { import_id: importId ?? null });
    if (!(error instanceof ImportError)) throw error;
    const { line, column, value } = error.place;
    return refusal(422, 'import_failed', error.message, {
      import_id: importId ?? null,
      line: line ?? null,
      column: column ?? null,
      value: value === undefined ? null : showValue(value),
      rejected_rows: rejections.slice(0, MAX_REJECTED_ROWS),
    });
  } finally {
    await upload?.discard();
  }
}

const tooLarge = (maxMb: number, setting: string, when = ''): Refusal =>
  refusal(
    413,
    'import_too_large',
    `The upload is larger than ${maxMb} MB${when} (${setting}); import it in parts.`,
  );

function notReceived(
  { reason }: SpoolError,
  spoolMb: number,
  declaredBytes: number,
  encoding = 'identity',
): Refusal {
  switch (reason) {
    case 'too-large': {
      const isUnpacked = encoding !== 'identity' && declaredBytes <= spoolMb * BYTES_PER_MB;
      return tooLarge(spoolMb, 'QAL_SPOOL_MB', isUnpacked ? ' after decompression' : '');
    }
    case 'full':
      return retryLater(
        'import_spool_full',
        `Other uploads take up the space on disk (QAL_SPOOL_MB); try again in ${RETRY_SECONDS} s.`,
      );
    case 'disk-full':
      return refusal(
        507,
        'import_disk_full',
        "The server's disk has no room for the upload, so nothing was imported.",
      );
  }
}

const retryLater = (code: string, message: string, data: object = {}) => ({
  ...refusal(503, code, message, data),
  headers: { 'Retry-After': String(RETRY_SECONDS) },
});

function reportOf(
  done: ImportReport,
  { site, material, dry_run }: ImportValues,
  rejections: readonly Rejection[],
): z.input<typeof IMPORT_REPORT> {
  const { seconds, warning, preview } = done;
  return {
    import_id: done.importId ?? null,
    status: dry_run ? 'dry run' : 'done',
    format: done.format,
    site,
    material,
    ...addCounts([done]),
    rejected_rows: rejections,
    seconds,
    warning: warning ?? null,
    ...(preview !== undefined && { preview: preview.map((row) => ({ ...row })) }),
  };
}
