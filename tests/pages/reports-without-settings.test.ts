import { logInAs } from '../support/page-client';
import { startTestHost } from '../support/test-host';

const PAGE = '/wp-admin/reports';

test('the scheduled reports page lists missing settings for mail, webhooks and links', async () => {
  const bare = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  try {
    const owner = await logInAs(bare, 'ann');
    const { text } = await owner.get(PAGE);
    expect(text).toContain('QAL_PUBLIC_URL');
    expect(text).toContain('QAL_SMTP_URL');
    expect(text).toContain('QAL_WEBHOOK_SECRET');
    expect(text).not.toContain('Add a report');
    const refused = await owner.post(PAGE, { site: 'shop', frequency: 'weekly', recipients: 'a@b.example' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('QAL_PUBLIC_URL')]);
  } finally {
    await bare.stop();
  }
});
