// Numbers in the user's locale, with every digit.

const EXACT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });
const SHORT = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

/** Formats the shortest decimal that identifies the double; the double's exact value may have more digits. */
export const exactNumber = (value: number): string => EXACT.format(`${value}`);

/** For axes: at most two decimal places. */
export const roundNumber = (value: number): string => SHORT.format(value);
