// Which backups are kept or deleted, and when the next one is due.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupName,
  chooseKept,
  folderOf,
  listBackups,
  pruneBackups,
} from '../../host-shim/backups/backup-folder';
import { isBackupDue, lastScheduled } from '../../host-shim/backups/backup-schedule';

const KEPT = { daily: 7, weekly: 4, monthly: 12 };
const daily = (from: Date, days: number) =>
  Array.from({ length: days }, (_, day) => ({
    madeAt: new Date(from.getFullYear(), from.getMonth(), from.getDate() - day, 3),
  }));
const datesOf = (files: Iterable<{ madeAt: Date }>) =>
  [...files].map(({ madeAt }) => madeAt.toLocaleDateString('en-CA'));

test('after a year of daily backups, those of 7 days, 4 weeks and 12 months are kept', () => {
  // The newest backup is from a Sunday.
  const kept = chooseKept(daily(new Date(2026, 10, 29), 400), KEPT);
  expect(datesOf(kept).toSorted().toReversed()).toEqual([
    '2026-11-29',
    '2026-11-28',
    '2026-11-27',
    '2026-11-26',
    '2026-11-25',
    '2026-11-24',
    '2026-11-23',
    '2026-11-22',
    '2026-11-15',
    '2026-11-08',
    '2026-10-31',
    '2026-09-30',
    '2026-08-31',
    '2026-07-31',
    '2026-06-30',
    '2026-05-31',
    '2026-04-30',
    '2026-03-31',
    '2026-02-28',
    '2026-01-31',
    '2025-12-31',
  ]);
});

test('pruning every day for a year keeps the same files as pruning once at the end', () => {
  let files: { madeAt: Date }[] = [];
  for (const file of daily(new Date(2026, 10, 29), 400).toReversed())
    files = [...chooseKept([file, ...files], KEPT)].toSorted(
      (a, b) => b.madeAt.getTime() - a.madeAt.getTime(),
    );
  expect(datesOf(files)).toEqual(
    datesOf(chooseKept(daily(new Date(2026, 10, 29), 400), KEPT))
      .toSorted()
      .toReversed(),
  );
});

test('no backup is deleted after a pause of several years, and the newest backup of a day is kept', () => {
  const old = daily(new Date(2016, 0, 10), 3);
  expect(datesOf(chooseKept(old, KEPT))).toEqual(datesOf(old));
  const noon = new Date(2026, 10, 29, 12);
  const night = new Date(2026, 10, 29, 3);
  expect([...chooseKept([{ madeAt: noon }, { madeAt: night }], KEPT)]).toEqual([{ madeAt: noon }]);
});

test('pruning deletes only files whose names the program assigned', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'qal-folder-'));
  try {
    const at = (day: number) => new Date(Date.UTC(2026, 10, day, 3));
    const others = [
      'letter.txt',
      'qal-2026-11-01.gz',
      `before-upgrade-${backupName(at(1))}`,
      `${backupName(at(1))}.txt`,
    ];
    const unfinished = `${backupName(at(3))}.1c3d.part`;
    const backups = [1, 2, 3].map((day) => backupName(at(day)));
    for (const name of [...others, ...backups, unfinished]) await writeFile(join(folder, name), 'x');
    expect((await listBackups(folder)).map(({ madeAt }) => madeAt)).toEqual([at(3), at(2), at(1)]);
    expect((await listBackups(folder, 'before-upgrade-')).map(({ madeAt }) => madeAt)).toEqual([at(1)]);
    await pruneBackups(folder, at(3), { daily: 2, weekly: 0, monthly: 0 });
    expect((await readdir(folder)).toSorted()).toEqual([...others, ...backups.slice(1)].toSorted());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('backups that a wrong clock dated in the future are neither counted nor deleted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'qal-folder-'));
  try {
    const names = ['2026-11-01', '2026-11-02', '2031-01-01', '2031-01-02'].map((day) =>
      backupName(new Date(`${day}T03:00:00Z`)),
    );
    for (const name of names) await writeFile(join(folder, name), 'x');
    await pruneBackups(folder, new Date('2026-11-02T03:00:00Z'), { daily: 1, weekly: 0, monthly: 0 });
    expect((await readdir(folder)).toSorted()).toEqual(names.slice(1));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a missing folder is not created, because its disk may not be mounted', async () => {
  await expect(folderOf({ backupDir: '/nowhere/backups' })).rejects.toThrow(
    'The folder /nowhere/backups (QAL_BACKUP_DIR) does not exist.',
  );
  await expect(folderOf({ backupDir: undefined })).rejects.toThrow('set QAL_BACKUP_DIR');
});

describe('a backup is due', () => {
  const local = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);
  const none = { endedAt: null, fault: null };

  test('at the configured time, today or yesterday', () => {
    expect(lastScheduled(local(29, 3), '03:00')).toEqual(local(29, 3));
    expect(lastScheduled(local(29, 2, 59), '03:00')).toEqual(local(28, 3));
    expect(lastScheduled(local(1, 0, 10), '23:30')).toEqual(new Date(2026, 9, 31, 23, 30));
  });

  test.each<[string, Date, { begunAt: Date; succeededAt: Date | null } | undefined, boolean]>([
    ['if there is none yet', local(29, 12), undefined, true],
    [
      'not again on the same day',
      local(29, 12),
      { begunAt: local(29, 3), succeededAt: local(29, 3, 5) },
      false,
    ],
    ['not before its time', local(30, 2), { begunAt: local(29, 3), succeededAt: local(29, 3, 5) }, false],
    ['on the next day', local(30, 3), { begunAt: local(29, 3), succeededAt: local(29, 3, 5) }, true],
    ['after days without a server', local(30, 14), { begunAt: local(2, 3), succeededAt: local(2, 4) }, true],
    [
      'not within an hour of a failure',
      local(29, 3, 59),
      { begunAt: local(29, 3), succeededAt: null },
      false,
    ],
    ['an hour after a failure', local(29, 4), { begunAt: local(29, 3), succeededAt: local(28, 3) }, true],
    [
      'if a wrong clock dated the last one in the future',
      local(20, 4),
      { begunAt: local(29, 3), succeededAt: local(29, 3, 5) },
      true,
    ],
  ])('%s', (_when, now, last, expected) => {
    expect(isBackupDue(() => now, '03:00')(last && { ...none, ...last })).toBe(expected);
  });
});
