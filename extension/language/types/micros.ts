// Fields that only the column copy has, so that decimals are added as whole numbers.

/** The ten-thousandths of a row's click rate. */
export const CTR_FIELD = 'ctr_x10000';

/** The millionths of a stored decimal. */
export const microsField = (field: string): string => `${field}_micros`;

/** The decimal places of a number that has them. It also has at most nine digits before the point. */
export const MICRO_DIGITS = 6;

/** In place of the millionths of any other number. Those of a short number are smaller. */
export const NO_MICROS = Number.MIN_SAFE_INTEGER;
