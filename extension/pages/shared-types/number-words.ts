import type { Unit } from './dashboard-types';

interface Change {
  readonly text: string;
  readonly direction: 'up' | 'down' | 'same';
}

/** Formats numbers with their units in the given language; by default, in the user's language. */
export function numberWords(language?: string) {
  const numberFormat = (options: Intl.NumberFormatOptions = {}) => {
    const format = new Intl.NumberFormat(language, options);
    return (value: number): string => format.format(value);
  };
  const inUnit = (unit: string, maximumFractionDigits: number) =>
    numberFormat({ style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits });
  const oneDigit = numberFormat({ maximumFractionDigits: 1 });
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
  const units: Readonly<Record<Unit, (value: number) => string>> = {
    count: numberFormat({ maximumFractionDigits: 0 }),
    percent: (value) => percent(value / 100),
    seconds: duration,
    milliseconds: (value) => (value < 1000 ? milliseconds(value) : seconds(value / 1000)),
    decimal: numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  };
  return {
    /** A number with separators and its unit; a dash if there is no number. */
    withUnit: (value: number | null | undefined, unit: Unit): string =>
      value === null || value === undefined ? '–' : units[unit](value),
    onAxis: (value: number, unit: Unit): string =>
      unit === 'decimal' ? oneDigit(value) : units[unit](value),
    /** `part`: a share of a whole, from 0 to 1. */
    share: (part: number): string => (part > 0 && part < 0.001 ? `<${percent(0.001)}` : percent(part)),
    changeOf(now: number | null, before: number | null): Change | undefined {
      if (now === null || before === null || before === 0) return undefined;
      const change = (now - before) / before;
      const digits = Math.abs(change) < 0.1 ? 1 : 0;
      const text = numberFormat({ style: 'percent', maximumFractionDigits: digits })(Math.abs(change));
      const direction = Math.abs(change) < 0.0005 ? 'same' : change > 0 ? 'up' : 'down';
      return { text, direction };
    },
  };
}
