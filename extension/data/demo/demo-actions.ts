// Clicks and data layer events on the pages of the demo shop.
import { DEMO_ORIGIN, DEMO_PATHS } from './demo-pages';
import type { DemoView } from './demo-views';
import { type Random, seededRandom } from './random';

interface DemoClick {
  readonly pv_id: number;
  readonly event_sec: number;
  readonly selector: string;
  readonly [column: string]: unknown;
}

interface DemoEvent {
  readonly pv_id: number;
  readonly access_time: number;
  readonly event_name: string;
  readonly params: object;
}

export type DemoActions = ReturnType<typeof demoActions>;

/** The selector of the goal "Added to cart". */
export const CART_BUTTON = '#add-to-cart';

const MENU = ['travel-mug', 'teapot', 'coffee-grinder', 'kettle', 'bread-knife', 'pan'];
const PRICES = [9.9, 14.5, 19, 24.9, 39, 59.9, 89];

/** Generates actions at random, none later than `now`. */
export function demoActions(seed: number, now: number) {
  const random = seededRandom(seed);
  const clicks: DemoClick[] = [];
  const events: DemoEvent[] = [];

  const click = (view: DemoView, selector: string, more: object = {}): void => {
    clicks.push({
      pv_id: view.pv_id,
      event_sec: secondOf(random, view, now),
      selector,
      page_x_pct: random.between(50, 950) / 10,
      page_y_pct: random.between(20, 980) / 10,
      ...more,
    });
  };
  const push = (view: DemoView, event_name: string, params: object): void => {
    const access_time = view.access_time + secondOf(random, view, now);
    events.push({ pv_id: view.pv_id, access_time, event_name, params });
  };

  const onProduct = (view: DemoView, slug: string): void => {
    const price = PRICES[slug.length % PRICES.length] ?? 19;
    if (random.chance(0.1)) {
      const element_data = `{"item":"${slug}"}`;
      click(view, CART_BUTTON, { element_id: 'add-to-cart', element_text: 'Add to cart', element_data });
      push(view, 'add_to_cart', { item: slug, value: price, currency: 'EUR' });
    }
    const clickCount = Math.min(6, Number(view.irritation_click_count));
    for (let count = 0; count < clickCount; count += 1) click(view, 'img.zoom', { element_class: 'zoom' });
  };

  const onJournal = (view: DemoView, slug: string): void => {
    if (random.chance(0.12)) push(view, 'video_play', { video: slug, seconds: random.between(3, 180) });
    if (random.chance(0.03)) {
      const to_url = `https://social.example/share?u=${encodeURIComponent(view.url)}`;
      click(view, 'a.share', { element_text: 'Share', to_url, is_external: 1 });
    }
  };

  const onThanks = (view: DemoView): void => {
    const items = random.between(1, 4);
    const value = Math.round(random.spread(38) * items * 100) / 100;
    const coupon = random.chance(0.2) ? { coupon: 'SPRING10' } : {};
    push(view, 'purchase', { value, currency: 'EUR', items, order: `D${view.pv_id}`, ...coupon });
  };

  const onAnyPage = (view: DemoView): void => {
    if (random.chance(0.1)) {
      const family = MENU[random.between(0, MENU.length - 1)] ?? 'pan';
      const to_url = `${DEMO_ORIGIN}/category/${family}/`;
      const element_text = family.replace('-', ' ');
      click(view, `nav a.${family}`, { element_text, element_class: family, to_url });
    }
    if (random.chance(0.01)) {
      const call = { element_text: '+49 30 000000', to_url: 'tel:+4930000000', action_id: 'tel' };
      click(view, 'footer a.tel', call);
    }
  };

  return {
    clicks,
    events,
    /** Adds the visitor's actions during a view. */
    record(view: DemoView): void {
      const path = view.url.slice(DEMO_ORIGIN.length);
      const [, part, slug = ''] = path.split('/');
      onAnyPage(view);
      if (part === 'products') onProduct(view, slug);
      else if (part === 'journal') onJournal(view, slug);
      else if (path === DEMO_PATHS.thanks) onThanks(view);
      else if (path === DEMO_PATHS.contactThanks) push(view, 'generate_lead', { form: 'contact' });
      if (view.is_submit === 1) {
        click(view, 'form button[type=submit]', { element_text: 'Send', action_id: 'submit' });
      }
    },
  };
}

/** A random second during the stay on the page, not after `now`. */
function secondOf(random: Random, view: DemoView, now: number): number {
  return random.between(0, Math.max(0, Math.min(Number(view.browse_sec), now - view.access_time)));
}
