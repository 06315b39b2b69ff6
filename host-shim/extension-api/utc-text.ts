// Prints instants in UTC, the same on both sides.
import dayjs from 'dayjs';
import utc from 'dayjs/plugin/utc';

dayjs.extend(utc);

/** By default the date alone. */
export const utcText = (
  instant: Date,
  format: 'YYYY-MM-DD' | 'YYYY-MM-DD HH:mm:ss' | 'YYYY-MM-DDTHH:mm[Z]' | 'YYYY-MM-DDTHH:mm:ss' = 'YYYY-MM-DD',
): string => dayjs.utc(instant).format(format);
