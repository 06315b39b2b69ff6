// The versions of the demo shop's main pages, each of which changed once.
import { dayText } from '../../language/time/calendar';
import { DEMO_ORIGIN, DEMO_PATHS } from './demo-pages';

const DAY_SECONDS = 86_400;
const DEVICES = ['PC', 'tablet', 'SP'] as const;
const PATHS = [
  DEMO_PATHS.top,
  DEMO_PATHS.rage,
  DEMO_PATHS.landing,
  DEMO_PATHS.checkout,
  '/category/travel-mug/',
  '/category/teapot/',
  '/products/travel-mug-01/',
  '/products/teapot-01/',
];
/** How many days ago the versions were published. */
const AGES = [120, 40] as const;

/** `now` is in UNIX seconds. */
export function demoVersions(now: number) {
  const rows: object[] = [];
  const published = new Map<string, { readonly id: number; readonly since: number }[]>();
  for (const path of PATHS) {
    for (const device_type of DEVICES) {
      AGES.forEach((days, place) => {
        const version_id = rows.length + 1;
        const since = Math.floor(now / DAY_SECONDS - days) * DAY_SECONDS;
        const url = DEMO_ORIGIN + path;
        const update_date = dayText(since / DAY_SECONDS, 'YYYY-MM-DD');
        rows.push({ version_id, url, device_type, version_no: place + 1, update_date });
        const key = `${device_type} ${url}`;
        published.set(key, [{ id: version_id, since }, ...(published.get(key) ?? [])]);
      });
    }
  }
  return {
    rows,
    /** The version shown in a view; undefined if the page has none for this device. */
    versionOf: (url: string, device: unknown, at: number): number | undefined =>
      published.get(`${device} ${url}`)?.find((one) => one.since <= at)?.id,
  };
}
