// qal sites remove | data delete | visitors export | visitors erase | audit. The commands that remove rows first show how many,
// and ask for confirmation.
import {
  type CommandInput,
  formatCount,
  JobFailed,
  utcText,
  WrongUsage,
} from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { exportVisitor } from '../data/export/export-visitor';
import { alreadyErased, type Erased } from '../data/removal/erase-visitor';
import { isReaderId, type Visitor } from '../data/removal/find-visitor';
import { listRemovals, type Removal, removalInWords, totalOf } from '../data/removal/removal-record';
import {
  countRemoval,
  RemovalError,
  type Removed,
  RowsChanged,
  removeData,
} from '../data/removal/remove-data';
import type { RowsByMaterial } from '../data/removal/remove-rows';
import { faultInWords } from '../data/removal/visitor-files';
import { storedMaterials } from '../data/storage/stored-materials';
import { vacuumSite } from '../data/storage/tables-of-site';
import { discardCopy } from '../query/columns/discard-copy';
import { type AnalyticsCommand, dayOption, failJob, textOption } from './analytics-command';

const YES = { flags: '--yes', about: 'do not ask for confirmation' } as const;
const SITE = { flags: '--site <id>', about: 'tracking id of the site', required: true } as const;

export const removeSiteCommand: AnalyticsCommand = {
  name: 'sites remove',
  summary: 'remove a site with all its data',
  args: [{ name: 'site', about: 'tracking id' }],
  options: [YES],
  async run(analytics, input) {
    const [trackingId = ''] = input.args;
    analytics.workers.check('all');
    const what = `Site ${trackingId} and all its data`;
    const removed = await askAndRemove(analytics, input, trackingId, { kind: 'site' }, what);
    const paths = removed?.faults.map(faultInWords).join(', ');
    if (paths) throw new JobFailed(`Not removed: rejected rows in ${paths}; delete them.`);
  },
};

export const deleteDataCommand: AnalyticsCommand = {
  name: 'data delete',
  summary:
    'remove the rows of a range of days; removing page views also removes their clicks, events and conversions',
  options: [
    SITE,
    { ...dayOption('--from <day>', 'first day, in the time zone of the site'), required: true },
    { ...dayOption('--to <day>', 'last day, in the time zone of the site'), required: true },
    { flags: '--material <name>', about: 'only rows of this dataset' },
    YES,
  ],
  async run(analytics, input) {
    const { options } = input;
    const [from = '', to = ''] = [textOption(options.from), textOption(options.to)];
    if (from > to) throw new WrongUsage(`--from ${from} is after --to ${to}.`);
    const material = textOption(options.material);
    const names = storedMaterials(analytics.manifest).map(({ name }) => name);
    if (material !== undefined && !names.includes(material))
      throw new WrongUsage(`--material ${material} has no rows to remove; name one of ${names.join(', ')}.`);
    const trackingId = textOption(options.site) ?? '';
    const what = `The rows of site ${trackingId} from ${from} to ${to}`;
    await askAndRemove(analytics, input, trackingId, { kind: 'days', from, to, material }, what);
  },
};

const VISITOR = [
  { flags: '--original-id <id>', about: "the site's id for the visitor" },
  {
    flags: '--reader-id <number>',
    about: 'reader_id of the visitor',
    check: (text: string) => (isReaderId(text) ? undefined : 'It must be a number.'),
  },
] as const;

function visitorOption({ options }: CommandInput): Visitor {
  const originalId = textOption(options.originalId);
  const readerId = textOption(options.readerId);
  if ((originalId === undefined) === (readerId === undefined))
    throw new WrongUsage('Identify the visitor by --original-id or --reader-id.');
  return originalId === undefined ? { readerId: Number(readerId) } : { originalId };
}

export const exportVisitorCommand: AnalyticsCommand = {
  name: 'visitors export',
  summary: 'write everything stored about a visitor as JSON: all that "visitors erase" would erase',
  options: [SITE, ...VISITOR],
  async run({ host, manifest, workers }, input) {
    const visitor = visitorOption(input);
    const { signal } = input;
    const trackingId = textOption(input.options.site) ?? '';
    workers.checkSite(trackingId);
    const write = (text: string) => input.write(Buffer.from(text));
    await exportVisitor({ host, manifest, trackingId, visitor, signal, write }).catch((error: unknown) =>
      failJob(error, RemovalError),
    );
  },
};

export const eraseVisitorCommand: AnalyticsCommand = {
  name: 'visitors erase',
  summary: 'erase everything stored about a visitor, including copies',
  options: [SITE, ...VISITOR, YES],
  async run(analytics, input) {
    const visitor = visitorOption(input);
    const trackingId = textOption(input.options.site) ?? '';
    const removed = { kind: 'visitor', ...visitor } as const;
    const erased = await askAndRemove(analytics, input, trackingId, removed, 'This visitor');
    if (erased === undefined) return;
    if (erased.erasedAt !== undefined) input.err(`${alreadyErased(erased.erasedAt)}\n`);
    await discardCopy(analytics.host.dataDir);
    await vacuumSite(analytics.host.database.write, trackingId);
    if (erased.faults.length > 0)
      throw new JobFailed(
        `Not erased in ${erased.faults.map(faultInWords).join(', ')}; make these files writable and erase again, or delete them.`,
      );
  },
};

export const auditCommand: AnalyticsCommand = {
  name: 'audit',
  summary: 'show what was removed, when, and by whom',
  async run({ host }, { table, err }) {
    const removals = await listRemovals(host.database.read, 'all', null);
    if (removals.length === 0) err('Nothing has been removed.\n');
    else table([['REMOVED AT', 'BY', 'SITE', 'WHAT', 'ROWS'], ...removals.map(rowOf)]);
  },
};

const rowOf = (removal: Removal): readonly string[] => [
  utcText(removal.at, 'YYYY-MM-DD HH:mm:ss'),
  removal.login,
  removal.trackingId,
  removalInWords(removal),
  removal.restored
    ? `${inWords(removal.removed)}; ${formatCount(removal.restored)} restored`
    : inWords(removal.removed),
];

const inWords = (rows: RowsByMaterial): string =>
  Object.entries(rows)
    .map(([material, count]) => `${formatCount(count)} ${material}`)
    .join(', ') || 'none';

async function askAndRemove(
  analytics: Pick<Analytics, 'host' | 'manifest' | 'workers'>,
  input: CommandInput,
  trackingId: string,
  removed: Removed,
  what: string,
): Promise<Erased | undefined> {
  const { host, manifest, workers } = analytics;
  const { user, confirm, err } = input;
  const options = { host, manifest, trackingId, login: user.login };
  workers.checkSite(trackingId);
  try {
    const { rows, mark } = await countRemoval(options, removed);
    if (totalOf(rows) === 0 && removed.kind === 'days') {
      err('No rows match; nothing was removed.\n');
      return undefined;
    }
    if (!(await confirm(`${what} would be removed permanently: ${inWords(rows)}.`))) {
      err('Nothing was removed.\n');
      return undefined;
    }
    const done = await removeData({ ...options, mark }, removed);
    err(`Removed: ${inWords(done.removed)}.\n`);
    return done;
  } catch (error) {
    if (!(error instanceof RowsChanged)) return failJob(error, RemovalError);
    err(`${error.message}\n`);
    return askAndRemove(analytics, input, trackingId, removed, what);
  }
}
