// Checks the accessibility of a page with axe.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** The elements that violate the rules (all rules by default), as `button-name: <button ...>`. */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  if (await page.evaluate<boolean>('window.axe === undefined')) await page.evaluate(AXE);
  // Collecting the details of passed rules would double the time.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  return page.evaluate<string[]>(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  );
}
