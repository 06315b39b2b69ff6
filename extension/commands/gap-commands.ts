// qal imports gaps | close-gap. A gap is a part of a followed log that was rotated away before it was read.
import { JobFailed } from '../../host-shim/extension-api';
import { closeGap, gapCommand, openGaps } from '../data/import/followed-files';
import { inTransaction } from '../data/storage/in-transaction';
import type { AnalyticsCommand } from './analytics-command';

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
  args: [{ name: 'number', about: 'number of the gap, as shown by imports gaps' }],
  async run({ host }, { args: [text = ''], out }) {
    const gapId = Number(text);
    const isOpen =
      /^[1-9]\d{0,8}$/.test(text) &&
      (await inTransaction(host.database.write, (client) => closeGap(client, gapId, host.clock())));
    if (!isOpen) throw new JobFailed(`There is no open gap ${text}; "qal imports gaps" lists all.`);
    out(`Gap ${gapId} is closed.\n`);
  },
};
