import { formatCount, JobFailed, utcText } from '../../host-shim/extension-api';
import { closeGap, gapCommand, openGaps } from '../data/import/followed-files';
import { importOf, listImports, type RecordedImport } from '../data/import/import-record';
import { countUndo, UndoError, undoImport } from '../data/removal/undo-import';
import { undoQuestion, undoResult } from '../data/removal/undo-in-words';
import { inTransaction } from '../data/storage/in-transaction';
import { type AnalyticsCommand, failJob, textOption } from './analytics-command';
import { placeOf, reasonOf } from './format-result';

const NUMBER = { name: 'number', about: 'import number, as shown by imports list' };
const MAX_ID = 2_147_483_647;
const isNumber = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_ID;

const noImport = (number: number | string) =>
  new JobFailed(`There is no import ${number}; "qal imports list" lists all imports.`);

function numberOf(text = ''): number {
  if (isNumber(text)) return Number(text);
  throw noImport(text);
}

const timeOf = (at: Date): string => utcText(at, 'YYYY-MM-DD HH:mm:ss');

export const listImportsCommand: AnalyticsCommand = {
  name: 'imports list',
  summary: 'show the imports, newest first, 50 at a time',
  options: [
    { flags: '--site <id>', about: 'only imports into this site' },
    {
      flags: '--before <number>',
      about: 'only imports before this one',
      check: (text) => (isNumber(text) ? undefined : 'It must be an import number.'),
    },
  ],
  async run({ host }, { options, err, table }) {
    const [site, before] = [textOption(options.site), textOption(options.before)];
    const { imports, older } = await listImports(host.database.read, {
      ...(site !== undefined && { sites: [site] }),
      ...(before !== undefined && { before: Number(before) }),
    });
    if (imports.length === 0) err('No imports found.\n');
    else
      table([
        ['IMPORT', 'STARTED', 'SITE', 'DATASET', 'SOURCE', 'BY', 'STATUS', 'ADDED', 'UPDATED'],
        ...imports.map(rowOf),
      ]);
    if (older !== null) err(`Older imports: qal imports list --before ${older}\n`);
  },
};

const rowOf = (run: RecordedImport): readonly string[] => [
  String(run.importId),
  timeOf(run.startedAt),
  run.trackingId,
  run.material,
  run.source,
  run.login,
  run.status,
  formatCount(run.added),
  formatCount(run.updated),
];

export const showImportCommand: AnalyticsCommand = {
  name: 'imports show',
  summary: 'show one import, with its rejected rows',
  args: [NUMBER],
  async run({ host }, { args, table }) {
    const number = numberOf(args[0]);
    const run = await importOf(host.database.read, number);
    if (run === undefined) throw noImport(number);
    table([
      ['import', String(run.importId)],
      ['site', run.trackingId],
      ['dataset', run.material],
      ['source', run.source],
      ...(run.sourceName === null ? [] : [['source name', run.sourceName]]),
      ['format', run.format],
      ['by', `${run.login} (${run.through})`],
      ['started', timeOf(run.startedAt)],
      ['seconds', run.seconds.toFixed(1)],
      ['status', run.status],
      ...(run.error === null ? [] : [['error', run.error]]),
      ...(run.undoneAt === null ? [] : [['undone', `${timeOf(run.undoneAt)} by ${run.undoneBy}`]]),
      ...(run.status === 'failed' || run.status === 'undone'
        ? []
        : [['can be undone', run.canUndo ? 'yes' : 'no']]),
      ...(['read', 'added', 'updated', 'kept', 'unchanged'] as const).map((name) => [
        name,
        formatCount(run[name]),
      ]),
      ...Object.entries(run.skipped).map(([reason, count]) => [`skipped: ${reason}`, formatCount(count)]),
      ['rejected', formatCount(run.rejected)],
      ...run.rejections.map((one) => [placeOf(one), reasonOf(one)]),
    ]);
  },
};

export const undoImportCommand: AnalyticsCommand = {
  name: 'imports undo',
  summary: 'undo an import: remove the rows that it added and restore the values that it replaced',
  args: [NUMBER],
  options: [{ flags: '--yes', about: 'do not ask for confirmation' }],
  async run({ host, manifest }, { args, user, confirm, err }) {
    const { write } = host.database;
    const options = { write, manifest, importId: numberOf(args[0]), login: user.login, clock: host.clock };
    try {
      const question = undoQuestion(await countUndo(options));
      if (await confirm(question.join(' '))) err(`${undoResult(await undoImport(options)).join(' ')}\n`);
      else err('Nothing was undone.\n');
    } catch (error) {
      failJob(error, UndoError);
    }
  },
};

/** A gap is a part of a followed log that was rotated away before it was read. */
export const listGapsCommand: AnalyticsCommand = {
  name: 'imports gaps',
  summary: 'show the missing parts of followed logs, each with the command that imports it',
  async run({ host }, { out, err }) {
    const gaps = await openGaps(host.database.read);
    if (gaps.length === 0) return err('Nothing is missing.\n');
    for (const gap of gaps)
      out(
        `gap ${gap.gapId}: ${gap.path} of ${gap.trackingId} after byte ${gap.position}, found at ${gap.foundAt.toISOString()}\n  ${gapCommand(gap)}\n`,
      );
  },
};

export const closeGapCommand: AnalyticsCommand = {
  name: 'imports close-gap',
  summary: 'close a gap without importing it, because its file is lost or was already imported',
  args: [{ name: 'number', about: 'gap number, as shown by imports gaps' }],
  async run({ host }, { args: [text = ''], out }) {
    const gapId = Number(text);
    const isOpen =
      /^[1-9]\d{0,8}$/.test(text) &&
      (await inTransaction(host.database.write, (client) => closeGap(client, gapId, host.clock())));
    if (!isOpen) throw new JobFailed(`There is no open gap ${text}; "qal imports gaps" lists all open gaps.`);
    out(`Gap ${gapId} is closed.\n`);
  },
};
