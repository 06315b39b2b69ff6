// Once the copy of a site is found to be wrong, it is never used again, not even by the next process or if removing it fails.
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { isMarkedWrong } from '../../../extension/query/columns/crash-marks';
import { foundDifferences } from '../../../extension/query/columns/found-differences';
import { openCopy } from '../../../extension/query/columns/open-copy';
import { listSites } from '../../../extension/query/columns/present-sites';
import { distrustedSites } from '../../../extension/query/columns/refresh-copy';
import { manifest, useCaseDatabase } from '../../language/query-setup';
import { expectEqualTables, openTestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { useFolder } from '../../support/use-folder';

const { database } = useCaseDatabase();
const { log } = createMemoryLog();
const folder = useFolder({ inMemory: true });

test('the next process does not use the copy, even if this process exits immediately', async () => {
  const first = await openTestColumns(database, { folder });
  const [site] = (await first.status()).sites;
  if (site === undefined) throw new Error('Nothing was copied.');
  first.distrust([site], 'a test');
  await first.stop({ keep: true });
  const second = await openTestColumns(database, { folder });
  const found = (await second.status()).sites.find(({ siteId }) => siteId === site.siteId);
  expect(found?.copiedAt).toBeGreaterThan(site.copiedAt);
  expect(await isMarkedWrong(folder)).toBe(false);
  await expectEqualTables(database, second);
  await second.stop();
});

test('a failed removal is retried, and reported once', async () => {
  const clock = () => new Date();
  const options = {
    folder,
    memoryMb: 256,
    tempMb: 64,
    threads: 1,
    write: database.write,
    manifest,
    log,
    clock,
  };
  const copy = await openCopy(options);
  const copies = new Map(
    (await listSites(database.write, NO_WORKERS)).map((site) => [
      site.siteId,
      { ...site, number: 1, copiedAt: 0 },
    ]),
  );
  const sites = [...copies.values()].slice(0, 2);
  const [one, other] = sites;
  if (one === undefined || other === undefined) throw new Error('There are too few sites.');
  const differences = foundDifferences({ log, clock, now: () => 0 });
  const removed: number[] = [];
  let isFull = true;
  const distrusted = distrustedSites({
    write: database.write,
    workers: NO_WORKERS,
    folder,
    copies,
    differences,
    isLost: () => false,
    async removeSite(_copy, siteId) {
      if (isFull && removed.length === 1) throw new Error('No space left on device');
      removed.push(siteId);
    },
  });
  distrusted.distrust([...sites, { siteId: 99, version: 'another' }], 'a test');
  expect(sites.map(({ siteId }) => copies.has(siteId))).toEqual([false, false]);
  await expect(distrusted.removeAll(copy)).rejects.toThrow('No space left');
  expect([distrusted.has(one.siteId), distrusted.has(other.siteId)]).toEqual([false, true]);
  expect(await isMarkedWrong(folder)).toBe(true);
  isFull = false;
  await distrusted.removeAll(copy);
  expect(removed).toEqual(sites.map(({ siteId }) => siteId));
  expect(await isMarkedWrong(folder)).toBe(false);
  expect(
    differences
      .list()
      .map(({ siteId }) => siteId)
      .toSorted(),
  ).toEqual(removed.toSorted());
  await copy.file.close();
});
