// The page "Imports": what was imported when, which rows were rejected, and the upload of a file.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { OptIn } from '../../manifests/reader/format-schema';
import type { Analytics } from '../analytics';
import { importOf, listImports } from '../import/import-record';
import { IMPORTABLE } from '../import/loaders';
import { IMPORT_NAMESPACE } from '../routes/import-routes';
import { permittedSites, siteOverview } from '../storage/sites/list-sites';

const IMPORTS_ADDRESS = pageAddress('imports');
const LARGEST_ID = 2_147_483_647;

export const importsPage = (analytics: Analytics): AdminPage => ({
  slug: 'imports',
  title: 'Imports',
  group: 'Data',
  position: 60,
  capability: 'manage_sites',
  takes: { words: 1 },
  async handle(request) {
    const { words } = request;
    const [number] = words;
    if (number === undefined) return list(analytics, request);
    return number === 'upload' ? upload(analytics, request) : one(analytics, request, number);
  },
});

async function list({ host }: Analytics, { query, user }: AdminRequest): Promise<AdminAnswer> {
  const { read } = host.database;
  const sites = await siteOverview(read, user.sites);
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
    view: 'extension/admin/views/imports',
    data: {
      sites,
      site,
      imports,
      newest: before === undefined ? null : `${IMPORTS_ADDRESS}?${filter}`,
      older: older === null ? null : `${IMPORTS_ADDRESS}?${filter}before=${older}`,
      number: grouped,
    },
  };
}

async function one({ host }: Analytics, { user }: AdminRequest, number: string): Promise<AdminAnswer> {
  const found = await importOf(host.database.read, idOf(number));
  if (found === undefined || !(user.sites === 'all' || user.sites.includes(found.trackingId)))
    throw new PageError(404, `There is no import ${number}.`);
  return {
    kind: 'page',
    title: `Import ${found.importId}`,
    view: 'extension/admin/views/import',
    scripts: found.rejections.length > 0 ? ['extension/import'] : [],
    data: {
      run: found,
      // What comes over HTTP has no file here to write another one beside.
      hasFile: found.through === 'command',
      address: IMPORTS_ADDRESS,
      route: `${IMPORT_NAMESPACE}/imports/${found.importId}`,
      number: grouped,
    },
  };
}

async function upload({ host, manifest }: Analytics, { query, user }: AdminRequest): Promise<AdminAnswer> {
  return {
    kind: 'page',
    title: 'Import a file',
    view: 'extension/admin/views/import-upload',
    scripts: ['extension/import-upload'],
    data: {
      sites: await permittedSites(host.database.read, user.sites),
      site: query.site,
      materials: IMPORTABLE,
      optIns: Object.entries(OPT_INS_IN_WORDS),
      formats: [...manifest.formats].flatMap(([name, format]) => ('refuse' in format ? [] : [name])),
      route: `${IMPORT_NAMESPACE}/import`,
    },
  };
}

/** Throws a PageError where the text is not the number of an import. */
function idOf(text: string): number {
  const id = Number(text);
  if (/^\d{1,10}$/.test(text) && id <= LARGEST_ID) return id;
  throw new PageError(404, `There is no import ${text}.`);
}

const OPT_INS_IN_WORDS: Readonly<Record<OptIn, string>> = {
  bots: 'requests of bots',
  static: 'images, scripts and other files',
  'http-errors': 'requests that were answered with an error',
  'http-redirects': 'requests that were redirected',
  'other-hosts': 'requests for other hosts than those of the site',
};

const grouped = (value: number): string => value.toLocaleString('en');
