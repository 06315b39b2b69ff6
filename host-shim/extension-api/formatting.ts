import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);

/** By default, formats only the date. */
export const utcText = (
  instant: Date,
  format: 'YYYY-MM-DD' | 'YYYY-MM-DD HH:mm:ss' | 'YYYY-MM-DDTHH:mm[Z]' | 'YYYY-MM-DDTHH:mm:ss' = 'YYYY-MM-DD',
): string => dayjs.utc(instant).format(format);

/** 1234 -> `1,234` */
export const formatCount = (count: number): string => count.toLocaleString('en');

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `12.3 MB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

/** `1 row`, `1,234 rows` */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A shell word: it's -> `'it'\\''s'` */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
