// Visitors from earlier pieces are always recognized, and few others are mistaken for them.
import { seenVisitors } from '../../../extension/data/change/seen-visitors';

const idsFrom = (count: number, first: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => first + index * 7);

test('on an empty site, all visitors from earlier pieces count as possibly stored, but few others do', () => {
  const seen = seenVisitors(true, 16);
  const early = [...idsFrom(1000, 1), ...idsFrom(1000, 2 ** 52)];
  expect(early.filter(seen.mayBeStored)).toEqual([]);
  seen.nextPiece();
  expect(early.every(seen.mayBeStored)).toBe(true);
  const late = [...idsFrom(1000, 1_000_000), ...idsFrom(1000, 2 ** 51)];
  const found = late.filter(seen.mayBeStored).length;
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(40);
});

test('on any other site, every visitor counts as possibly stored', () => {
  const seen = seenVisitors(false);
  expect(seen.mayBeStored(1)).toBe(true);
  seen.nextPiece();
  expect(seen.mayBeStored(2)).toBe(true);
});
