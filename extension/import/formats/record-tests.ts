// Questions that formats ask of a field. Each takes the text of the field, or undefined if the record has no such field.
import { isbot } from 'isbot';
import type { RecordTest } from '../../../manifests/reader/format-schema';
import { recentTexts } from '../bounded-maps';
import type { SiteAddresses } from '../derive/site-addresses';

export type TestField = (value: unknown) => boolean;

const AGENTS = 20_000;

/** What servers send besides pages. */
const STATIC =
  /\.(?:gif|jpe?g|png|bmp|ico|svgz?|webp|avif|ttf|otf|eot|woff2?|class|swf|css|m?js|map|json|xml|rss|atom|txt|pdf|zip|gz|tgz|bz2|7z|rar|exe|dmg|iso|csv|docx?|xlsx?|pptx?|mp[34]|m4[av]|ogg|webm|wav|wasm|webmanifest)$/i;

const TESTS: Readonly<Record<RecordTest, (site: SiteAddresses) => TestField>> = {
  bot: () => {
    const known = recentTexts<boolean>(AGENTS);
    return (agent) => {
      if (typeof agent !== 'string') return false;
      let isBot = known.get(agent);
      if (isBot === undefined) {
        // A request that does not say who it is from does not come from a browser.
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
  static_file: () => (path) => {
    if (typeof path !== 'string') return false;
    const query = path.indexOf('?');
    return STATIC.test(query < 0 ? path : path.slice(0, query));
  },
  truncated_list: () => (count) => Number(count) > 0,
};

export const testOf = (name: RecordTest, site: SiteAddresses): TestField => TESTS[name](site);
