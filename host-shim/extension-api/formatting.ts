import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);

/** By default, formats only the date. */
export const utcText = (
  instant: Date,
  format: 'YYYY-MM-DD' | 'YYYY-MM-DD HH:mm:ss' | 'YYYY-MM-DDTHH:mm[Z]' | 'YYYY-MM-DDTHH:mm:ss' = 'YYYY-MM-DD',
): string => dayjs.utc(instant).format(format);

/** 1234 -> `1,234` */
export const digitsOf = (count: number): string => count.toLocaleString('en');

/** `1 row`, `1,234 rows` */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${digitsOf(count)} ${count === 1 ? one : many}`;
