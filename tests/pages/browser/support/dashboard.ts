// Helpers for the dashboard tests.
import type { Page } from 'playwright-core';

/** A selector for a dashboard that has finished loading. */
export const DONE = '#dashboard[data-waiting="0"]';

export const WATCH_SHIFTS = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;
/** A page from the cache can be complete before the browser reports its first paint. */
export const PAINTS_AND_SHIFT = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const paints = list.getEntriesByName('first-contentful-paint').length;
    if (paints > 0) resolve([paints, Math.round(window.shift * 1000)]);
  }).observe({ type: 'paint', buffered: true });
})`;

export const figure = (page: Page, card: string) => page.locator(`#card-${card} .figure`).innerText();

export async function open(page: Page, search = ''): Promise<void> {
  await page.goto(`/wp-admin/dashboard${search}`);
  await page.locator(DONE).waitFor();
}

/** Runs `act`, and waits until the dashboard shows the response. */
export async function answered(page: Page, act: () => Promise<unknown>): Promise<void> {
  const arrived = page.waitForResponse((response) => response.url().includes('/qa-platform-pages/dashboard'));
  await act();
  await arrived;
  await page.locator(DONE).waitFor();
}
