// Exact decimals, as an integer and the number of digits after the decimal point.
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** The shortest decimal that represents the number. */
export function decimalOf(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** All digits, without an exponent. */
export function formatCount(value: number): string {
  const { digits, scale } = decimalOf(value);
  if (scale === 0) return String(digits);
  const padded = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${digits < 0n ? '-' : ''}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
