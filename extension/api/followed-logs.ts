import { countOf, DAY_MS, type Finding, type ReadPool } from '../../host-shim/extension-api';
import { gapCommand, openGaps } from '../data/import/followed-files';
import { killedFollowRuns } from '../data/import/import-record';

const SHOWN_DAYS = 7;

/** Reports missing parts of followed logs, and logs that are no longer followed although the user did not stop the command. */
export async function checkFollowed(read: ReadPool, now: number): Promise<Finding> {
  const gaps = await openGaps(read);
  const [first] = gaps;
  if (first === undefined) return checkFollowing(read, now);
  const { path, position, trackingId, foundAt } = first;
  const others = gaps.length === 1 ? '' : ` Other gaps: ${gaps.length - 1}.`;
  return {
    state: 'failing',
    brief: countOf(gaps.length, 'gap'),
    about: `${path} of ${trackingId} was rotated away before all of it was read. Everything after byte ${position} is missing (found at ${foundAt.toISOString()}).${others}`,
    remedy: {
      text: `Import the missing part from the rotated file; rows that are already stored are not stored twice. If that file is lost, run: qal imports close-gap ${first.gapId}`,
      command: gapCommand(first),
    },
  };
}

async function checkFollowing(read: ReadPool, now: number): Promise<Finding> {
  const killed = await killedFollowRuns(read, new Date(now - SHOWN_DAYS * DAY_MS));
  if (killed.length === 0) return { state: 'fine', brief: 'no gaps' };
  const logs = killed.map(({ source, trackingId }) => `${source} of ${trackingId}`).join(', ');
  return {
    state: 'failing',
    brief: `${countOf(killed.length, 'log is', 'logs are')} no longer followed`,
    about: `${logs} ${killed.length === 1 ? 'was' : 'were'} followed until the command was killed or lost its connection to the database.`,
    remedy: {
      text: 'Start qal import --follow again; it continues where it stopped. To stop following a log, press Ctrl-C or send SIGTERM.',
    },
  };
}
