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
  /** A selector for the elements whose contrast is checked, which takes longer than all other rules together. */
  readonly contrastOf?: string;
}

/** The elements that violate the rules, as `button-name: <button ...>`. */
export async function axeFaults(
  page: Page,
  { rules, within = 'html', contrastOf = '*' }: AxeOptions = {},
): Promise<readonly string[]> {
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(AXE);
  // Collecting the details of passed rules would double the time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const selectors = { rules: [{ id: 'color-contrast', selector: contrastOf }] };
  return page.evaluate<string[]>(
    `axe.configure(${JSON.stringify(selectors)}),
    axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})
      .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  );
}
