// Helpers for the playground tests.
import type { Page } from 'playwright-core';

export const PLAYGROUND = '/wp-admin/playground';

export const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Query' });

/** The text of the editor. */
export const textOf = (page: Page) => page.locator('#query').inputValue();

/** Opens a query, and waits until the catalog of its site has loaded. */
export async function openQuery(page: Page, query: object | string): Promise<void> {
  const text = typeof query === 'string' ? query : JSON.stringify(query);
  await page.goto(`${PLAYGROUND}#${encodeURIComponent(text)}`);
  await editorOf(page).waitFor();
  await page.locator('#example option').first().waitFor({ state: 'attached' });
}
