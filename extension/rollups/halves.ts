// Owns the two halves of a large integer: what the binary forms and the tables of 32-bit integers are made of.

export const TWO_32 = 4_294_967_296;

/** The upper 32 bits of an integer. */
export const highHalf = (value: number): number => Math.floor(value / TWO_32);

/** The lower 32 bits, as a signed integer. */
export const lowHalf = (value: number): number => value | 0;

/** The integer of two halves; the lower one may be signed or not. */
export const wholeOf = (high: number, low: number): number => high * TWO_32 + (low >>> 0);
