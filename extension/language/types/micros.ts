// The column copy has a second field for each stored decimal: the decimal times a million, as a whole number.
export const microsField = (field: string): string => `${field}_micros`;

/** The decimal places of a number that has them. It also has at most nine digits before the point. */
export const MICRO_DIGITS = 6;

/** In place of the millionths of any other number. Those of a short number are smaller. */
export const NO_MICROS = Number.MIN_SAFE_INTEGER;
