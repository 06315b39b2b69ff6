// The page for looking up a site's visitor and downloading or erasing their data. Everything is sent with POST, so that no URL
// contains the visitor's id.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import {
  type AdminAnswer,
  type AdminRequest,
  countOf,
  PageError,
  pageAddress,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { exportVisitor } from '../data/export/export-visitor';
import { alreadyErased } from '../data/removal/erase-visitor';
import { isReaderId, type Visitor } from '../data/removal/find-visitor';
import { totalOf } from '../data/removal/removal-record';
import { type Counted, countRemoval, RemovalError, removeData } from '../data/removal/remove-data';
import { faultInWords } from '../data/removal/visitor-files';
import type { SiteOverview } from '../data/storage/sites/list-sites';
import { vacuumSite } from '../data/storage/tables-of-site';
import { discardCopy } from '../query/columns/discard-copy';

interface VisitorFields {
  readonly by: string;
  readonly id: string;
}

export async function siteVisitor(
  analytics: Analytics,
  { method, form, user, signal }: AdminRequest,
  site: SiteOverview,
): Promise<AdminAnswer> {
  const { host, manifest } = analytics;
  const { trackingId } = site;
  const requested = { by: form.get('by') ?? 'original_id', id: form.get('id') ?? '' };
  if (method === 'GET') return formPage(site, requested);
  const visitor = readVisitor(requested);
  if (typeof visitor === 'string') return formPage(site, requested, visitor);
  const options = { host, manifest, trackingId, login: user.login };
  const removed = { kind: 'visitor', ...visitor } as const;
  try {
    const counted = await countRemoval(options, removed);
    if (form.get('what') === 'export') {
      const content = new PassThrough();
      // If the buffer is full, waits until the client has caught up.
      const write = async (text: string) => {
        if (!content.write(text)) await once(content, 'drain', { signal });
      };
      exportVisitor({ ...options, visitor, signal, write }).then(
        () => content.end(),
        (error: unknown) => content.destroy(error instanceof Error ? error : new Error(String(error))),
      );
      return { kind: 'file', name: `visitor-${trackingId}.json`, type: 'application/json', content };
    }
    if (form.get('what') !== 'erase') return foundPage(site, requested, counted);
    const { removed: rows, faults, erasedAt } = await removeData(options, removed);
    await discardCopy(host.dataDir);
    // Not awaited, because this may take minutes and the rows are already gone.
    vacuumSite(host.database.write, trackingId).catch((err: unknown) =>
      host.log.warn({ err }, 'The tables could not be vacuumed after a visitor was erased.'),
    );
    return {
      kind: 'redirect',
      to: pageAddress('sites'),
      notice: [
        `Erased a visitor of ${trackingId}: ${countOf(totalOf(rows), 'row')}.`,
        ...(erasedAt === undefined ? [] : [alreadyErased(erasedAt)]),
        ...(faults.length > 0 ? [`Not erased in ${faults.map(faultInWords).join(', ')}.`] : []),
      ].join(' '),
    };
  } catch (error) {
    if (!(error instanceof RemovalError)) throw error;
    if (form.get('what') === null) return formPage(site, requested, error.message);
    throw new PageError(409, error.message, pageAddress('sites'));
  }
}

/** The visitor, or what is wrong with the form. */
function readVisitor({ by, id }: VisitorFields): Visitor | string {
  if (id === '' || id.includes('\0')) return 'Enter the id of the visitor.';
  if (by !== 'reader_id') return { originalId: id };
  return isReaderId(id) ? { readerId: Number(id) } : 'A reader_id is a number.';
}

const formPage = (
  { trackingId, name }: SiteOverview,
  requested: VisitorFields,
  fault?: string,
): AdminAnswer => ({
  kind: 'page',
  ...(fault !== undefined && { status: 400 }),
  title: `A visitor of ${name}`,
  view: 'extension/pages/views/site-visitor',
  data: { trackingId, requested, fault },
});

const foundPage = (
  { trackingId, name }: SiteOverview,
  requested: VisitorFields,
  { rows, erasedAt }: Counted,
): AdminAnswer => ({
  kind: 'page',
  title: `A visitor of ${name}`,
  view: 'extension/pages/views/site-visitor-found',
  data: {
    trackingId,
    requested,
    erased: erasedAt && alreadyErased(erasedAt),
    rows: Object.entries(rows).map(([material, count]) => ({ material, rows: count })),
  },
});
