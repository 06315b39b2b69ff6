// Checks the accessibility of a page with axe.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

export const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose outcome depends on the color scheme. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

export interface AxeOptions {
  /** All rules by default. */
  readonly rules?: readonly string[];
  /** A selector for the elements to check; the whole page by default. */
  readonly within?: string;
}

/**
 * The looks of text that has passed the contrast check in this worker. Only text that looks different is checked, because the
 * check takes longer than all other rules together.
 */
const goodLooks = new Set<string>();

/** The elements that violate the rules, as `button-name: <button ...>`. */
export async function axeFaults(
  page: Page,
  { rules, within = 'html' }: AxeOptions = {},
): Promise<readonly string[]> {
  const added = await markNewLooks(page, within);
  if (added.length === 0 && rules === COLOR_RULES) return [];
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(AXE);
  // Collecting the details of passed rules would double the time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const faults = await page.evaluate<string[]>(
    `axe.configure(${JSON.stringify({ rules: [{ id: 'color-contrast', selector: `[${NEW}]` }] })}),
    axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  );
  if (faults.length === 0) for (const look of added) goodLooks.add(look);
  return faults;
}

const NEW = 'data-new-look';

/**
 * Marks the visible text whose look is not in `goodLooks`, and returns the new looks. A look is the kind of the element,
 * its colors and font, those of its parent, and everything behind it.
 */
const markNewLooks = (page: Page, within: string): Promise<readonly string[]> =>
  page.evaluate<string[]>(
    `(() => {
      const known = new Set(${JSON.stringify([...goodLooks])});
      const added = new Set();
      const kindOf = (one) => one.localName + '.' + (one.getAttribute('class') ?? '');
      const textOf = (one) => {
        const { color, fontSize, fontWeight, textShadow, textDecorationLine } = getComputedStyle(one);
        return [kindOf(one), color, fontSize, fontWeight, textShadow, textDecorationLine].join();
      };
      const PLAIN = 'rgba(0, 0, 0, 0),none,1,none,none,normal';
      const behind = new Map([[null, '']]);
      const behindOf = (one) => {
        const found = behind.get(one);
        if (found !== undefined) return found;
        const { backgroundColor, backgroundImage, opacity, filter, position, mixBlendMode } = getComputedStyle(one);
        const isMoved = ['absolute', 'fixed', 'sticky'].includes(position);
        const own = [backgroundColor, backgroundImage, opacity, filter, isMoved ? kindOf(one) : 'none', mixBlendMode].join();
        const all = behindOf(one.parentElement) + (own === PLAIN ? '' : own);
        behind.set(one, all);
        return all;
      };
      const isOff = (one) => (one.closest('label')?.control ?? one).closest(':disabled, [aria-disabled="true"], [inert]') !== null;
      const hasText = (one) => one.matches('input, select, textarea')
        || [...one.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== '');
      for (const one of document.querySelectorAll(${JSON.stringify(`${within}, ${within} *`)})) {
        const isText = one.parentElement !== null && hasText(one) && one.checkVisibility();
        const look = isText ? [textOf(one), textOf(one.parentElement), behindOf(one), isOff(one)].join('|') : '';
        const isNew = isText && !known.has(look);
        one.toggleAttribute('${NEW}', isNew);
        if (isNew) added.add(look);
      }
      return [...added];
    })()`,
  );
