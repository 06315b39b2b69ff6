// Tests that formats apply to a field. Each receives the field as a string, or undefined if the record does not have it.
import { isbot } from 'isbot';
import type { RecordTest } from '../../../../manifests/reader/format-schema';
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';
import { memoized } from '../bounded-maps';
import type { SiteAddresses } from '../derive/site-addresses';
import { MAX_AGENT_LENGTH } from '../limits';
import { isAddress, requestOf } from './request-line';

type TestField = (value: unknown) => boolean;

const AGENTS = 20_000;

const STATIC = new Set(KNOWN_WORDS.static_files);
const ENDING = /\.([a-z0-9]{1,11})$/i;

function isStatic(path: string): boolean {
  const query = path.indexOf('?');
  const ending = ENDING.exec(query < 0 ? path : path.slice(0, query))?.[1];
  return ending !== undefined && STATIC.has(ending.toLowerCase());
}

const pathIn = (line: string): string => requestOf(line)?.path ?? line;

const URL_HOST = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@\s]+)/i;

/** The tests by name. Each is created for a site. */
export const TESTS: Readonly<Record<RecordTest, (site: SiteAddresses) => TestField>> = {
  bot: () => {
    // A request without a user agent does not come from a browser.
    const isBot = memoized(AGENTS, (agent) => agent === '' || isbot(agent));
    return (agent) => typeof agent === 'string' && isBot(agent.slice(0, MAX_AGENT_LENGTH));
  },
  other_host:
    ({ isOwnHost }) =>
    (host) =>
      typeof host === 'string' && host !== '' && !isOwnHost(host),
  /** A path, or a request line. Clients that mistake the server for a proxy request whole URLs. */
  other_url:
    ({ isOwnHost }) =>
    (path) => {
      const [, host] = (typeof path === 'string' && URL_HOST.exec(pathIn(path))) || [];
      return host !== undefined && !isOwnHost(host);
    },
  /** A path, or a request line. */
  static_file: () => (path) => typeof path === 'string' && isStatic(pathIn(path)),
  no_request: () => (line) => typeof line !== 'string' || (requestOf(line) === undefined && !isAddress(line)),
  not_get: () => (line) =>
    typeof line !== 'string' || (requestOf(line)?.method !== 'GET' && !isAddress(line)),
  truncated_list: () => (count) => Number(count) > 0,
};
