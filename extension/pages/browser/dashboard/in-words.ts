import type { Unit } from '../../shared-types/dashboard-types';

const numberFormat = (options: Intl.NumberFormatOptions = {}) => {
  const format = new Intl.NumberFormat(undefined, options);
  return (value: number): string => format.format(value);
};

const whole = numberFormat({ maximumFractionDigits: 0 });
const oneDigit = numberFormat({ maximumFractionDigits: 1 });
const decimal = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const inUnit = (unit: string, maximumFractionDigits: number) =>
  numberFormat({ style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits });
const seconds = inUnit('second', 1);
const wholeSeconds = inUnit('second', 0);
const minutes = inUnit('minute', 0);
const milliseconds = numberFormat({ style: 'unit', unit: 'millisecond', maximumFractionDigits: 0 });
const percent = numberFormat({ style: 'percent', maximumFractionDigits: 1 });

function duration(value: number): string {
  if (value < 10) return seconds(value);
  const rounded = Math.round(value);
  if (rounded < 60) return wholeSeconds(rounded);
  return `${minutes(Math.floor(rounded / 60))} ${wholeSeconds(rounded % 60)}`;
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' });
const AGES = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Such as `3 hours ago`, in whole units. */
export function agoInWords(age: number): string {
  const [unit, length] = AGES.find((one) => age >= one[1]) ?? (['second', 1] as const);
  return relative.format(-Math.floor(age / length), unit);
}

const UNITS: Readonly<Record<Unit, (value: number) => string>> = {
  count: whole,
  percent: (value) => percent(value / 100),
  seconds: duration,
  milliseconds: (value) => (value < 1000 ? milliseconds(value) : seconds(value / 1000)),
  decimal,
};

/** A number with separators and its unit; a dash if there is no number. */
export const withUnit = (value: number | null | undefined, unit: Unit): string =>
  value === null || value === undefined ? '–' : UNITS[unit](value);

export const onAxis = (value: number, unit: Unit): string =>
  unit === 'decimal' ? oneDigit(value) : UNITS[unit](value);

/** `part`: a share of a whole, from 0 to 1. */
export const share = (part: number): string =>
  part > 0 && part < 0.001 ? `<${percent(0.001)}` : percent(part);

interface Change {
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same';
}

export function changeOf(now: number | null, before: number | null): Change | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const change = (now - before) / before;
  const digits = Math.abs(change) < 0.1 ? 1 : 0;
  const text = numberFormat({ style: 'percent', maximumFractionDigits: digits })(Math.abs(change));
  const direction = Math.abs(change) < 0.0005 ? 'same' : change > 0 ? 'up' : 'down';
  return { text, direction };
}

const DEVICES: Readonly<Record<string, string>> = { PC: 'Computer', SP: 'Smartphone', tablet: 'Tablet' };

function displayName(type: 'region' | 'language', code: string): string {
  try {
    return new Intl.DisplayNames([], { type, fallback: 'code' }).of(code) ?? code;
  } catch {
    // Visitors may send anything as a code.
    return code;
  }
}

/** The localized name of a country, a language or a device; other names are returned unchanged. */
export function localizedName(dimension: string | null, name: string): string {
  if (dimension === 'device') return DEVICES[name] ?? name;
  if (dimension === 'country' && /^[A-Z]{2}$/.test(name)) return displayName('region', name);
  return dimension === 'language' ? displayName('language', name) : name;
}

/** Whether a dimension's displayed names differ from its values. */
export const isLocalized = (dimension: string | null): boolean =>
  dimension === 'device' || dimension === 'country' || dimension === 'language';

/** The path, query and hash of a URL; anything else is returned unchanged. */
export function pathOf(url: string): string {
  try {
    const { pathname, search, hash } = new URL(url);
    return decodeURI(pathname + search + hash);
  } catch {
    return url;
  }
}
