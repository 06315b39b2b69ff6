// An authenticator app for tests.
import { Secret, TOTP } from 'otpauth';
import type { PageClient } from './page-client';
import { LOGIN_PASSWORD } from './test-host';

export const SECOND_FACTOR = '/wp-admin/profile/second-factor';

export const codeAt = (secret: string, at: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });

/** Sets up a second factor on the page. Returns its key and the recovery codes. */
export async function setUpFactor(client: PageClient, at: Date) {
  const { text } = await client.get(SECOND_FACTOR);
  const secret = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '';
  const answer = await client.post(SECOND_FACTOR, {
    action: 'set-up',
    secret,
    code: codeAt(secret, at),
    password: LOGIN_PASSWORD,
  });
  const shown = /id="recovery-codes"[^>]*>([^<]+)</.exec(answer.text)?.[1] ?? '';
  return { secret, codes: shown.trim().split('\n') };
}
