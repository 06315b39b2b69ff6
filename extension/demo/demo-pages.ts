// Owns the pages of the demo shop: their addresses, titles, kinds, and how often each is seen.
// Nothing in -> about 300 pages in a fixed order. Kinds are bits of page_type (manifests/materials.yaml).

export const DEMO_ORIGIN = 'https://demo.example';

const KIND = {
  article: 1 << 0,
  product: 1 << 1,
  list: 1 << 2,
  form: 1 << 3,
  trust: 1 << 4,
  faq: 1 << 5,
  landing: 1 << 6,
  search: 1 << 7,
  account: 1 << 8,
  cart: 1 << 9,
  checkout: 1 << 10,
  thanks: 1 << 12,
  top: 1 << 13,
  howto: 1 << 18,
} as const;

export interface DemoPage {
  readonly url: string;
  readonly title: string;
  readonly pageType: number;
  /** How often a visitor who browses comes by. */
  readonly weight: number;
  /** How often a visit begins here. */
  readonly entryWeight: number;
  /** Typical stay in seconds. */
  readonly stay: number;
}

/** Pages with a part in the story of the demo. */
export const DEMO_PATHS = {
  top: '/',
  cart: '/cart/',
  checkout: '/checkout/',
  thanks: '/checkout/thanks/',
  contact: '/contact/',
  contactThanks: '/contact/thanks/',
  /** The page whose zoom picture does not react: visitors click in anger. */
  rage: '/products/travel-mug-08/',
  landing: '/lp/spring-sale/',
} as const;

const FAMILIES = [
  'travel-mug',
  'teapot',
  'coffee-grinder',
  'kettle',
  'bread-knife',
  'cutting-board',
  'apron',
  'pan',
];
const ADJECTIVES = [
  'Classic',
  'Light',
  'Large',
  'Small',
  'Blue',
  'Oak',
  'Steel',
  'Everyday',
  'Studio',
  'Nordic',
];
const TOPICS = ['coffee', 'tea', 'bread', 'knives', 'care', 'gifts', 'travel', 'kitchen'];
const VERBS = ['choose', 'clean', 'store', 'repair', 'compare', 'gift'];

/** All pages of the demo shop. */
export function demoPages(): readonly DemoPage[] {
  return [...fixedPages(), ...listPages(), ...productPages(), ...articlePages()];
}

function fixedPages(): readonly DemoPage[] {
  return [
    page('/', 'Demo shop - good things for the kitchen', KIND.top, 90, 120, 25),
    page('/search/', 'Search | Demo shop', KIND.search | KIND.list, 25, 1, 15),
    page('/about/', 'About us | Demo shop', KIND.trust, 6, 2, 40),
    page('/shipping/', 'Shipping and returns | Demo shop', KIND.trust | KIND.faq, 12, 4, 45),
    page('/faq/', 'Questions and answers | Demo shop', KIND.faq, 10, 5, 60),
    page('/account/', 'Your account | Demo shop', KIND.account, 8, 4, 30),
    page(DEMO_PATHS.contact, 'Contact | Demo shop', KIND.form, 7, 2, 70),
    page(DEMO_PATHS.contactThanks, 'Thank you for your message | Demo shop', KIND.thanks, 0, 0, 10),
    page(DEMO_PATHS.cart, 'Your cart | Demo shop', KIND.cart, 0, 1, 35),
    page(DEMO_PATHS.checkout, 'Checkout | Demo shop', KIND.checkout | KIND.form, 0, 0, 95),
    page(DEMO_PATHS.thanks, 'Thank you for your order | Demo shop', KIND.thanks, 0, 0, 20),
    page(DEMO_PATHS.landing, 'Spring sale: up to 30 % off | Demo shop', KIND.landing, 0, 0, 30),
    page('/lp/newsletter/', 'Letters from our kitchen | Demo shop', KIND.landing | KIND.form, 2, 0, 25),
  ];
}

function listPages(): readonly DemoPage[] {
  return FAMILIES.flatMap((family, place) => [
    page(
      `/category/${family}/`,
      `${words(family)}s | Demo shop`,
      KIND.list,
      40 / (place + 1),
      20 / (place + 1),
      22,
    ),
    page(
      `/category/${family}/?page=2`,
      `${words(family)}s, page 2 | Demo shop`,
      KIND.list,
      8 / (place + 1),
      1,
      18,
    ),
  ]);
}

function productPages(): readonly DemoPage[] {
  const pages: DemoPage[] = [];
  for (let rank = 0; rank < 160; rank += 1) {
    const family = FAMILIES[rank % FAMILIES.length] ?? 'pan';
    const number = Math.floor(rank / FAMILIES.length) + 1;
    const adjective = ADJECTIVES[(rank * 7) % ADJECTIVES.length] ?? 'Classic';
    const slug = `${family}-${String(number).padStart(2, '0')}`;
    const weight = 300 / (rank + 4) ** 0.95;
    pages.push(
      page(
        `/products/${slug}/`,
        `${adjective} ${words(family)} No. ${number} | Demo shop`,
        KIND.product,
        weight,
        weight / 3,
        48,
      ),
    );
  }
  return pages;
}

function articlePages(): readonly DemoPage[] {
  const pages: DemoPage[] = [];
  for (let rank = 0; rank < 120; rank += 1) {
    const topic = TOPICS[rank % TOPICS.length] ?? 'coffee';
    const verb = VERBS[rank % VERBS.length] ?? 'choose';
    const part = Math.floor(rank / 24) + 1;
    const slug = `how-to-${verb}-${topic}${part > 1 ? `-${part}` : ''}`;
    const weight = 60 / (rank + 3);
    pages.push(
      page(
        `/journal/${slug}/`,
        `How to ${verb} ${topic}${part > 1 ? `, part ${part}` : ''} | Demo shop journal`,
        KIND.article | KIND.howto,
        weight,
        weight * 4,
        110,
      ),
    );
  }
  return pages;
}

function page(
  path: string,
  title: string,
  pageType: number,
  weight: number,
  entryWeight: number,
  stay: number,
): DemoPage {
  return { url: DEMO_ORIGIN + path, title, pageType, weight, entryWeight, stay };
}

function words(slug: string): string {
  const text = slug.replaceAll('-', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const DEMO_DAYS = 90;
