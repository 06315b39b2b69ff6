// The pages of the demo shop, about 300.
import { loadManifest } from '../../../manifests/reader/manifest';

export const DEMO_ORIGIN = 'https://demo.example';
/** How many days the demo's data goes back. */
export const DEMO_DAYS = 90;

export interface DemoPage {
  readonly url: string;
  readonly title: string;
  readonly pageType: number;
  /** How often visitors navigate to the page. */
  readonly weight: number;
  /** How often visits start on the page. */
  readonly entryWeight: number;
  /** The typical time on the page, in seconds. */
  readonly stay: number;
}

/** Pages with a special role in the demo. */
export const DEMO_PATHS = {
  top: '/',
  cart: '/cart/',
  checkout: '/checkout/',
  thanks: '/checkout/thanks/',
  contact: '/contact/',
  contactThanks: '/contact/thanks/',
  /** Its zoom image does not respond to clicks, so visitors click it again and again. */
  rage: '/products/travel-mug-08/',
  landing: '/lp/spring-sale/',
} as const;

const FAMILIES = 'travel-mug teapot coffee-grinder kettle bread-knife cutting-board apron pan'.split(' ');
const ADJECTIVES = 'Classic Light Large Small Blue Oak Steel Everyday Studio Nordic'.split(' ');
/** Topics and verbs at even positions are combined, and so are those at odd positions. */
const TOPICS = 'coffee teapots bread knives spices pans cups kettles'.split(' ');
const VERBS = 'choose clean store repair compare polish'.split(' ');
const PRODUCTS = 160;
const ARTICLES = 120;

export const demoPages = (): readonly DemoPage[] => [
  ...fixedPages(),
  ...FAMILIES.flatMap(listPages),
  ...Array.from({ length: PRODUCTS }, (_, rank) => productPage(rank)),
  ...Array.from({ length: ARTICLES }, (_, rank) => articlePage(rank)),
];

const fixedPages = (): readonly DemoPage[] => [
  page('/', 'Demo shop - good things for the kitchen', 'top_page', 90, 120, 25),
  page('/search/', 'Search | Demo shop', 'search list', 25, 1, 15),
  page('/about/', 'About us | Demo shop', 'trust_info', 6, 2, 40),
  page('/shipping/', 'Shipping and returns | Demo shop', 'trust_info faq', 12, 4, 45),
  page('/faq/', 'Questions and answers | Demo shop', 'faq', 10, 5, 60),
  page('/account/', 'Your account | Demo shop', 'account', 8, 4, 30),
  page(DEMO_PATHS.contact, 'Contact | Demo shop', 'form', 7, 2, 70),
  page(DEMO_PATHS.contactThanks, 'Thank you for your message | Demo shop', 'thanks', 0, 0, 10),
  page(DEMO_PATHS.cart, 'Your cart | Demo shop', 'cart', 0, 1, 35),
  page(DEMO_PATHS.checkout, 'Checkout | Demo shop', 'checkout form', 0, 0, 95),
  page(DEMO_PATHS.thanks, 'Thank you for your order | Demo shop', 'thanks', 0, 0, 20),
  page(DEMO_PATHS.landing, 'Spring sale: up to 30% off | Demo shop', 'landing', 0, 0, 30),
  page('/lp/newsletter/', 'Letters from our kitchen | Demo shop', 'landing form', 2, 0, 25),
];

function listPages(family: string, place: number): readonly DemoPage[] {
  const path = `/category/${family}/`;
  const title = `${inWords(family).replace(/fe$/, 've')}s`;
  const share = 1 / (place + 1);
  return [
    page(path, `${title} | Demo shop`, 'list', 40 * share, 20 * share, 22),
    page(`${path}?page=2`, `${title}, page 2 | Demo shop`, 'list', 8 * share, 1, 18),
  ];
}

function productPage(rank: number): DemoPage {
  const family = FAMILIES[rank % FAMILIES.length] ?? 'pan';
  const number = Math.floor(rank / FAMILIES.length) + 1;
  const path = `/products/${family}-${String(number).padStart(2, '0')}/`;
  const title = `${ADJECTIVES[(rank * 7) % ADJECTIVES.length]} ${inWords(family)} No. ${number} | Demo shop`;
  const weight = 300 / (rank + 4) ** 0.95;
  return page(path, title, 'product', weight, weight / 3, 48);
}

function articlePage(rank: number): DemoPage {
  const topic = TOPICS[rank % TOPICS.length];
  const verb = VERBS[rank % VERBS.length];
  const part = Math.floor(rank / 24) + 1;
  const path = `/journal/how-to-${verb}-${topic}${part > 1 ? `-${part}` : ''}/`;
  const title = `How to ${verb} ${topic}${part > 1 ? `, part ${part}` : ''} | Demo shop journal`;
  const weight = 60 / (rank + 3);
  return page(path, title, 'article howto', weight, weight * 4, 110);
}

/** `flags` are columns of page views, without `is_`. */
function page(
  path: string,
  title: string,
  flags: string,
  weight: number,
  entryWeight: number,
  stay: number,
): DemoPage {
  const pageType = flags.split(' ').reduce((type, flag) => type | (1 << bitOf(`is_${flag}`)), 0);
  return { url: DEMO_ORIGIN + path, title, pageType, weight, entryWeight, stay };
}

function bitOf(column: string): number {
  const bit = loadManifest().materials.get('allpv')?.columns.get(column)?.bit;
  if (bit === undefined) throw new Error(`Page views have no flag ${column}.`);
  return bit;
}

function inWords(slug: string): string {
  const text = slug.replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
