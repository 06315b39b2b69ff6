// Numbers in the reader's locale, with every digit.

const EXACT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
const SHORT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Formats the shortest decimal: the exact value of a double has more digits. */
export const exactNumber = (value: number): string => EXACT.format(`${value}`);

/** For axes: two digits after the point. */
export const roundNumber = (value: number): string => SHORT.format(value);
