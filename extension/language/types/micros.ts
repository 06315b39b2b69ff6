// Fields that only the columnar copy has. They let it add decimals as whole numbers.

/** A row's click-through rate in ten-thousandths. */
export const CTR_FIELD = 'ctr_x10000';

/** A stored decimal in millionths. */
export const microsField = (field: string): string => `${field}_micros`;

/** The decimal places of a number stored in millionths. Such a number has at most nine digits before the point. */
export const MICRO_DIGITS = 6;

/** Stored for numbers that cannot be stored in millionths. No number in millionths has this value. */
export const NO_MICROS = Number.MIN_SAFE_INTEGER;
