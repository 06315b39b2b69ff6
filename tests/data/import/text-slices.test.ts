// Splitting strings into slices.
import fc from 'fast-check';
import { textSlices } from '../../../extension/data/import/dimensions';

test('slices contain all items in order and are never empty; only a slice with a single item may be too long', () => {
  const texts = fc.array(fc.string({ maxLength: 20 }));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (items, limit) => {
      const slices = [...textSlices(items, (item) => item.length, limit)];
      expect(slices.flat()).toEqual(items);
      for (const slice of slices) {
        expect(slice.length).toBeGreaterThan(0);
        if (slice.length > 1) expect(slice.join('').length).toBeLessThanOrEqual(limit);
      }
    }),
  );
});
