// Keeps the numbers at the end of a wide table visible: their columns are sticky.

/** Pinned columns cover at most this part of the visible width; otherwise none is pinned. */
const MOST = 0.5;

const offsetOf = (index: number): string => `--pin-${index}`;

/** The trailing number columns, unless that is all columns. */
export function pinnedColumns(isNumber: readonly boolean[]): readonly number[] {
  const first = isNumber.lastIndexOf(false) + 1;
  return first === 0 ? [] : isNumber.slice(first).map((_one, at) => first + at);
}

export function pinCell(cell: HTMLElement, index: number): void {
  cell.classList.add('pinned');
  cell.style.right = `var(${offsetOf(index)}, auto)`;
}

/** Updates the offsets of pinned columns whenever a width changes. */
export function keepPinned(
  box: HTMLElement,
  headings: readonly HTMLElement[],
  pinned: readonly number[],
): void {
  const measure = () => {
    let right = 0;
    const offsets = pinned.toReversed().map((index) => {
      const offset = right;
      right += headings[index]?.offsetWidth ?? 0;
      return { index, offset };
    });
    const fits = right <= box.clientWidth * MOST;
    for (const { index, offset } of offsets)
      box.style.setProperty(offsetOf(index), fits ? `${offset}px` : 'auto');
  };
  const resized = new ResizeObserver(measure);
  for (const one of [box, ...headings]) resized.observe(one);
}
