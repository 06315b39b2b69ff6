// The "Imports" page: earlier imports with their rejected rows, undo, and uploads.
import { Readable } from 'node:stream';
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  ask,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { OptIn } from '../../manifests/reader/format-schema';
import type { Analytics } from '../api/analytics';
import { IMPORT_NAMESPACE } from '../api/routes/import-routes';
import { DEMO_SITE } from '../data/demo/load-demo';
import { type ImportWithRejections, importOf, listImports } from '../data/import/import-record';
import { IMPORTABLE } from '../data/import/loaders';
import { countUndo, UndoError, undoImport } from '../data/removal/undo-import';
import { undoQuestion, undoResult } from '../data/removal/undo-in-words';
import { permittedSites } from '../data/storage/sites/list-sites';
import { maySee } from '../data/storage/sites/site-states';
import { geoipPage } from './geoip-page';
import { datasetChoice } from './in-words';
import { pagesNamespaceOf } from './page-route';

const IMPORTS_ADDRESS = pageAddress('imports');
const MAX_ID = 2_147_483_647;

export const importsPage = (analytics: Analytics): AdminPage => ({
  slug: 'imports',
  title: 'Imports',
  howTo: 'import',
  group: 'Data',
  position: 60,
  capability: 'manage_sites',
  takes: { words: 2, post: true },
  async handle(request) {
    const { words, method } = request;
    const [id, action] = words;
    if (id !== undefined && action === 'undo') return undo(analytics, request, id);
    if (method === 'POST') throw new PageError(400, 'This page does not accept forms.');
    if (id !== undefined && action === 'rejected') return rejectedRows(analytics, request, id);
    if (action !== undefined) throw new PageError(404, 'There is no such page.');
    if (id === undefined) return list(analytics, request);
    if (id === 'geoip') return geoipPage(analytics);
    return id === 'upload' ? upload(analytics, request) : showImport(analytics, request, id);
  },
});

async function list({ host }: Pick<Analytics, 'host'>, { query, user }: AdminRequest): Promise<AdminAnswer> {
  const { read } = host.database;
  const sites = await permittedSites(read, user.sites);
  const site = query.site === undefined || query.site === '' ? undefined : query.site;
  const trackingIds = sites.map(({ trackingId }) => trackingId);
  if (site !== undefined && !trackingIds.includes(site))
    throw new PageError(404, `There is no site ${site}.`);
  const before = query.before === undefined ? undefined : idOf(query.before);
  const { imports, older } = await listImports(read, {
    sites: site === undefined ? trackingIds : [site],
    ...(before === undefined ? {} : { before }),
  });
  const filter = site === undefined ? '' : `site=${encodeURIComponent(site)}&`;
  return {
    kind: 'page',
    view: 'extension/pages/views/imports',
    data: {
      sites,
      site,
      imports,
      newest: before === undefined ? null : `${IMPORTS_ADDRESS}?${filter}`,
      older: older === null ? null : `${IMPORTS_ADDRESS}?${filter}before=${older}`,
    },
  };
}

/** Throws a PageError if the user may not see the import. */
async function findImport(
  { host }: Pick<Analytics, 'host'>,
  { user }: AdminRequest,
  id: string,
): Promise<ImportWithRejections> {
  const found = await importOf(host.database.read, idOf(id));
  if (found === undefined || !maySee(user.sites, found.trackingId))
    throw new PageError(404, `There is no import ${id}.`, IMPORTS_ADDRESS);
  return found;
}

async function showImport(analytics: Analytics, request: AdminRequest, id: string): Promise<AdminAnswer> {
  const found = await findImport(analytics, request, id);
  return {
    kind: 'page',
    title: `Import ${found.importId}`,
    view: 'extension/pages/views/import',
    data: {
      run: found,
      // Uploads over HTTP have no local file next to which their rejected rows could be written.
      hasFile: found.through === 'command',
      address: IMPORTS_ADDRESS,
    },
  };
}

async function rejectedRows(analytics: Analytics, request: AdminRequest, id: string): Promise<AdminAnswer> {
  const { rejections } = await findImport(analytics, request, id);
  const content = Readable.from(rejections.map((row) => `${JSON.stringify(row)}\n`));
  return { kind: 'file', name: 'rejected.ndjson', type: 'application/x-ndjson', content };
}

/** GET asks for confirmation with the number of rows; POST undoes the import. */
async function undo(analytics: Analytics, request: AdminRequest, id: string): Promise<AdminAnswer> {
  const { host, manifest } = analytics;
  const { importId, source, trackingId } = await findImport(analytics, request, id);
  const options = { write: host.database.write, manifest, importId };
  try {
    if (request.method === 'POST') {
      const done = await undoImport({ ...options, login: request.user.login, clock: host.clock });
      return { kind: 'redirect', to: IMPORTS_ADDRESS, notice: undoResult(done).join(' ') };
    }
    return ask({
      title: `Undo import ${importId}?`,
      about: undoQuestion(await countUndo(options)).join(' '),
      pairs: [
        ['Source', source],
        ['Site', trackingId],
      ],
      button: `Undo import ${importId}`,
      cancel: IMPORTS_ADDRESS,
    });
  } catch (error) {
    if (!(error instanceof UndoError)) throw error;
    const { message, first } = error;
    const to = first === undefined ? IMPORTS_ADDRESS : pageAddress('imports', first, 'undo');
    return { kind: 'redirect', to, notice: message };
  }
}

async function upload(
  { host, manifest, settings }: Pick<Analytics, 'host' | 'manifest' | 'settings'>,
  { query, user }: AdminRequest,
): Promise<AdminAnswer> {
  const sites = await permittedSites(host.database.read, user.sites);
  const own = sites.find(({ trackingId }) => trackingId !== DEMO_SITE) ?? sites[0];
  return {
    kind: 'page',
    title: 'Import a file',
    view: 'extension/pages/views/import-upload',
    scripts: ['extension/import-upload'],
    data: {
      sites,
      site: query.site ?? own?.trackingId,
      datasets: IMPORTABLE.map(datasetChoice),
      optIns: Object.entries(OPT_INS_IN_WORDS),
      formats: [...manifest.formats].flatMap(([name, format]) => ('refuse' in format ? [] : [name])),
      route: `${IMPORT_NAMESPACE}/import`,
      columnsRoute: `${pagesNamespaceOf(settings)}/import-columns`,
    },
  };
}

/** Throws a PageError if the text is not an import id. */
function idOf(text: string): number {
  const id = Number(text);
  if (/^\d{1,10}$/.test(text) && id <= MAX_ID) return id;
  throw new PageError(404, `There is no import ${text}.`);
}

const OPT_INS_IN_WORDS: Readonly<Record<OptIn, string>> = {
  bots: 'requests by bots',
  static: 'images, scripts and other files',
  'http-errors': 'requests that were answered with an error',
  'http-redirects': 'requests that were redirected',
  'other-hosts': 'requests for hosts other than those of the site',
};
