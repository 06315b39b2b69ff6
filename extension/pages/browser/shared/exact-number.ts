// Numbers as the reader's language writes them, with every digit.

const EXACT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
const SHORT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Through its shortest decimal: a double alone would show digits that nobody wrote. */
export const exactNumber = (value: number): string => EXACT.format(`${value}`);

/** For axes: two digits after the point. */
export const roundNumber = (value: number): string => SHORT.format(value);
