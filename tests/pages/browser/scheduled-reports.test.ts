// A report in a real browser, from its form to the emailed link that stops it.
import type { Page } from 'playwright-core';
import { type MailReceiver, receiveMail } from '../../support/receivers';
import type { TestHost } from '../../support/test-host';
import { axeFaults } from './support/axe';
import { describeInBrowser } from './support/chromium';
import { overflow, withPage } from './support/open-page';
import { startShop, WAS_HACKED } from './support/shop-data';

async function expectAccessible(page: Page): Promise<void> {
  expect([await axeFaults(page), await overflow(page), await page.evaluate(WAS_HACKED)]).toEqual([
    [],
    0,
    false,
  ]);
}

describeInBrowser('scheduled reports', ({ browser }) => {
  let mail: MailReceiver;
  let host: TestHost;
  beforeAll(async () => {
    mail = await receiveMail();
    host = await startShop({
      hostSettings: {
        QAL_SMTP_URL: mail.url,
        QAL_MAIL_FROM: 'qal@shop.example',
        QAL_PUBLIC_URL: 'https://stats.shop.example',
      },
    });
  });
  afterAll(async () => {
    await host.stop();
    mail.close();
  });

  test.each([
    [390, false],
    [1280, true],
  ])('can be added, tested and stopped at %d pixels (dark: %p)', (width, dark) =>
    withPage(browser(), host, { as: 'ann', width, dark }, async (page) => {
      const recipient = `ann${width}@shop.example`;
      await page.goto('/wp-admin/reports');
      const field = page.getByLabel('E-mail addresses');
      await field.fill('ann');
      await page.getByRole('button', { name: 'Add the report' }).click();
      await page.getByText('ann is not an e-mail address.').waitFor();
      expect(await field.inputValue()).toBe('ann');
      await expectAccessible(page);
      await field.fill(recipient);
      await field.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('send a test to see it now').waitFor();
      await page.getByRole('button', { name: `Send a test now to ${recipient}` }).click();
      await page.getByRole('status').getByText(`The test was sent to ${recipient}.`).waitFor();
      await expectAccessible(page);
      const link = /^List-Unsubscribe:\s+<([^>]+)>\r$/m.exec(mail.mails().at(-1) ?? '')?.[1] ?? '';
      await page.context().clearCookies();
      const { pathname, search } = new URL(link);
      await page.goto(pathname + search);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Stop the report' }).click();
      await page.getByText('You will not receive any more of these messages.').waitFor();
      await expectAccessible(page);
      expect(await host.database.write('analytics.report')).toEqual([]);
    }),
  );
});
