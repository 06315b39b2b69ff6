import type { TabInfo } from '../../shared-types/dashboard-types';
import { nextPlace, type Place, placed, placeOf, type View } from './address';
import type { RowLinks } from './rows';

interface Navigation {
  readonly view: View;
  address(view: View): string;
  go(view: View): void;
}

/** null if the rows are not filters. */
export function rowLinks({ dimension }: TabInfo, { view, address, go }: Navigation): RowLinks | null {
  if (dimension === null) return null;
  const after = (value: string | null, place: Place): View => ({
    ...view,
    filters: placed(view.filters, dimension, value, nextPlace[place]),
  });
  return {
    place: (value) => placeOf(view.filters, dimension, value),
    address: (value, place) => address(after(value, place)),
    go: (value, place) => go(after(value, place)),
  };
}
