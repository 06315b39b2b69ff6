// Unusual Authorization headers.
import { readBasicHeader } from '../../host-shim/auth/basic-header';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const bytes = (text: string) => Buffer.from(text, 'latin1').toString('base64');

const accepted: readonly (readonly [string, string, string, string])[] = [
  // conformance: query.authorization
  ['plain', `Basic ${base64('ann:secret')}`, 'ann', 'secret'],
  ['scheme in lower case', `basic ${base64('ann:secret')}`, 'ann', 'secret'],
  ['scheme in upper case', `BASIC ${base64('ann:secret')}`, 'ann', 'secret'],
  ['several spaces', `Basic    ${base64('ann:secret')}`, 'ann', 'secret'],
  ['no padding', `Basic ${base64('ann:secre').replaceAll('=', '')}`, 'ann', 'secre'],
  ['base64url', `Basic ${Buffer.from('??>>:x').toString('base64url')}`, '??>>', 'x'],
  // conformance: query.authorization
  ['a colon in the secret', `Basic ${base64('ann:a:b')}`, 'ann', 'ab'],
  ['other characters copied with the secret', `Basic ${base64('ann:\tabcd efgh-x\r\n')}`, 'ann', 'abcdefghx'],
  ['a no-break space in the secret, in UTF-8', `Basic ${base64('ann:abcd\u00a0efgh')}`, 'ann', 'abcdefgh'],
  ['a no-break space in the secret, in Latin-1', `Basic ${bytes('ann:abcd\u00a0efgh')}`, 'ann', 'abcdefgh'],
  ['control characters in the secret', `Basic ${base64('ann:x\u0000y\u007f')}`, 'ann', 'xy'],
  ['invalid bytes in the secret', `Basic ${bytes('ann:x\u00ff\u00fey')}`, 'ann', 'xy'],
  ['a secret that is empty once cleaned', `Basic ${base64('ann:----')}`, 'ann', ''],
  ['spaces around the user', `Basic ${base64(' ann :x')}`, 'ann', 'x'],
  ['UTF-8', `Basic ${base64('j\u00fcrgen:x')}`, 'j\u00fcrgen', 'x'],
];

test.each(accepted)('%s', (_label, header, user, secret) => {
  expect(readBasicHeader(header)).toEqual({ ok: true, credentials: { user, secret } });
});

const refused: readonly (readonly [string, string, RegExp])[] = [
  ['a different scheme', 'Bearer abc', /must be "Basic"/],
  ['a scheme that contains basic', `XBasic ${base64('ann:x')}`, /must be "Basic"/],
  ['a scheme that begins with basic', `Basics ${base64('ann:x')}`, /must be "Basic"/],
  ['a scheme without credentials', 'Basic', /must be "Basic"/],
  ['a scheme with only spaces after it', 'Basic   ', /must be "Basic"/],
  ['text that is not base64', 'Basic ann:secret', /must be "Basic"/],
  ['extra text after the credentials', `Basic ${base64('ann:x')} more`, /must be "Basic"/],
  ['padding in the middle', 'Basic YW5u=Ong', /must be "Basic"/],
  ['a missing colon', `Basic ${base64('ann')}`, /no colon/],
  ['a missing user', `Basic ${base64(':x')}`, /no user/],
  ['a missing secret', `Basic ${base64('ann:')}`, /no application password/],
  ['a secret of spaces', `Basic ${base64('ann:   ')}`, /no application password/],
  ['NUL', `Basic ${base64('ann\u0000:x')}`, /control character/],
  ['a line break in the user', `Basic ${base64('an\r\nn:x')}`, /control character/],
  ['DEL in the user', `Basic ${base64('ann\u007f:x')}`, /control character/],
  ['a user that is not UTF-8', `Basic ${bytes('j\u00fcrgen:x')}`, /not UTF-8/],
  ['a secret that consists of line breaks', `Basic ${base64('ann:\r\n')}`, /no application password/],
];

test.each(refused)('%s is rejected', (_label, header, reason) => {
  expect(readBasicHeader(header)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});
