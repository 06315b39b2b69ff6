// Tests that formats apply to a field. Each gets the field as a string, or undefined if the record does not have it.
import { isbot } from 'isbot';
import type { RecordTest } from '../../../../manifests/reader/format-schema';
import { recentTexts } from '../bounded-maps';
import type { SiteAddresses } from '../derive/site-addresses';
import { LONGEST_AGENT } from '../limits';
import { isAddress, requestOf } from './request-line';

type TestField = (value: unknown) => boolean;

const AGENTS = 20_000;

/** What servers send other than pages: parts of pages, and downloads. */
const STATIC = new Set(
  (
    'avif bmp class css eot gif ico jpeg jpg js map mjs otf png rss atom svg svgz swf ttf wasm webmanifest webp woff woff2 xml ' +
    '7z aac apk arc arj asf asx avi azw3 bin bz bz2 csv deb dmg doc docx epub exe flac flv gz gzip hqx ibooks iso jar json md5 ' +
    'm4a m4v mobi mov movie mp2 mp3 mp4 mpeg mpg msi msp odb odf odg odp ods odt ogg ogv pdf phps pkg ppt pptx qt qtm ra ram ' +
    'rar rpm rtf sea sha sig sit tar tbz tbz2 tgz torrent txt wav webm wma wmv wpd xls xlsx xsd xz z zip zst'
  ).split(' '),
);
const ENDING = /\.([a-z0-9]{1,11})$/i;

function isStatic(path: string): boolean {
  const query = path.indexOf('?');
  const ending = ENDING.exec(query < 0 ? path : path.slice(0, query))?.[1];
  return ending !== undefined && STATIC.has(ending.toLowerCase());
}

const TESTS: Readonly<Record<RecordTest, (site: SiteAddresses) => TestField>> = {
  bot: () => {
    const known = recentTexts<boolean>(AGENTS);
    return (whole) => {
      if (typeof whole !== 'string') return false;
      const agent = whole.slice(0, LONGEST_AGENT);
      let isBot = known.get(agent);
      if (isBot === undefined) {
        // A request without a user agent does not come from a browser.
        isBot = agent === '' || isbot(agent);
        known.set(agent, isBot);
      }
      return isBot;
    };
  },
  other_host:
    ({ isOwnHost }) =>
    (host) =>
      typeof host === 'string' && host !== '' && !isOwnHost(host),
  /** A path, or a request line. */
  static_file: () => (path) => typeof path === 'string' && isStatic(requestOf(path)?.path ?? path),
  no_request: () => (line) => typeof line !== 'string' || (requestOf(line) === undefined && !isAddress(line)),
  not_get: () => (line) =>
    typeof line !== 'string' || (requestOf(line)?.method !== 'GET' && !isAddress(line)),
  truncated_list: () => (count) => Number(count) > 0,
};

export const testOf = (name: RecordTest, site: SiteAddresses): TestField => TESTS[name](site);
