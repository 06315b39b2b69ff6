import { lastPeriod } from '../../extension/pages/reports/report-period';
import { changeBy, MAX_ATTEMPTS, type ReportEvent } from '../../extension/pages/reports/report-state';

const NOW = new Date('2026-11-23T07:00:00Z');
const period = lastPeriod('weekly', NOW, 'UTC');
const fault = 'no such mailbox';
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const SUCCESS = { sentAt: NOW, fault: null };
const UNTIL_NEXT = { covered: '2026-11-16', attempts: 0, nextAt: new Date('2026-11-30T07:00:00Z') };

test.each<[string, ReportEvent, number, object]>([
  ['the first attempt', { kind: 'begun', period }, 0, { attempts: 1, nextAt: inMinutes(5) }],
  ['the second attempt', { kind: 'begun', period }, 1, { attempts: 2, nextAt: inMinutes(10) }],
  ['the 7th attempt', { kind: 'begun', period }, MAX_ATTEMPTS - 2, { attempts: 7, nextAt: inMinutes(320) }],
  ['the last attempt', { kind: 'begun', period }, MAX_ATTEMPTS - 1, { attempts: 8, nextAt: inMinutes(640) }],
  ['a success', { kind: 'sent', period }, 1, { ...SUCCESS, ...UNTIL_NEXT }],
  ['a success without earlier attempts', { kind: 'sent', period }, 0, { ...SUCCESS, ...UNTIL_NEXT }],
  ['a failure', { kind: 'failed', fault, period }, 1, { fault }],
  ['a failed last attempt', { kind: 'failed', fault, period }, MAX_ATTEMPTS, { fault, ...UNTIL_NEXT }],
  ['a failed test after failures', { kind: 'failed', fault }, MAX_ATTEMPTS, { fault }],
  ['a covered period', { kind: 'skipped', period }, 0, UNTIL_NEXT],
  ['a covered period after failures', { kind: 'skipped', period }, 3, UNTIL_NEXT],
  ['a test, which does not change the schedule', { kind: 'tested', period }, 3, SUCCESS],
])('%s', (_title, event, attempts, expected) => {
  expect(changeBy(event, { attempts }, NOW)).toEqual(expected);
});
