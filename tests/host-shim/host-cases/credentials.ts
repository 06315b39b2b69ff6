// How an application password may be sent: every form that real clients use is accepted, and everything else gets a 401.
import type { Credentials } from '../../support/test-host';
import type { Clause, HostCase } from '../host-case';

const ECHO = '/wp-json/toy/v1/echo';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const grouped = (secret: string) => (secret.match(/.{4}/g) ?? []).join(' ');

const accepted: readonly (readonly [string, (ann: Credentials) => string, Clause?])[] = [
  ['unchanged', ({ secret }) => `Basic ${base64(`ann:${secret}`)}`],
  ['the scheme in lower case', ({ secret }) => `basic ${base64(`ann:${secret}`)}`, '1 scheme in any case'],
  ['the scheme in capitals', ({ secret }) => `BASIC ${base64(`ann:${secret}`)}`],
  ['several spaces after the scheme', ({ secret }) => `Basic   ${base64(`ann:${secret}`)}`],
  [
    'in groups of four, as shown',
    ({ secret }) => `Basic ${base64(`ann:${grouped(secret)}`)}`,
    '1 letters and digits alone',
  ],
  ['with a trailing space', ({ secret }) => `Basic ${base64(`ann:${secret} `)}`],
  ['with hyphens', ({ secret }) => `Basic ${base64(`ann:${grouped(secret).replaceAll(' ', '-')}`)}`],
  [
    'a second colon is part of the secret and is dropped',
    ({ secret }) => `Basic ${base64(`ann::${secret}`)}`,
    '1 first colon',
  ],
  ['the login in capitals', ({ secret }) => `Basic ${base64(`ANN:${secret}`)}`, '1 login in any case'],
  [
    'the e-mail instead of the login',
    ({ secret }) => `Basic ${base64(`Ann@People.example:${secret}`)}`,
    '1 e-mail',
  ],
  ['base64 without padding', ({ secret }) => `Basic ${base64(`ann:${secret}`).replace(/=+$/, '')}`],
];

const refused: readonly (readonly [string, (ann: Credentials) => string, Clause?])[] = [
  [
    'the secret is case-sensitive',
    ({ secret }) => `Basic ${base64(`ann:${swapCase(secret)}`)}`,
    '1 letter case',
  ],
  [
    'the password for the login page',
    () => `Basic ${base64('ann:login password for tests')}`,
    '1 no login password',
  ],
  ['someone else’s password', ({ secret }) => `Basic ${base64(`bea:${secret}`)}`],
  ['no colon', ({ secret }) => `Basic ${base64(`ann${secret}`)}`, '1 no colon'],
  ['no user', ({ secret }) => `Basic ${base64(`:${secret}`)}`, '1 empty half'],
  ['no secret', () => `Basic ${base64('ann:')}`],
  ['nothing after the scheme', () => 'Basic'],
  ['not base64', () => 'Basic ann:secret'],
  [
    'bytes that are not text',
    () => `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
    '1 garbage',
  ],
  [
    'a different scheme with the right secret',
    ({ secret }) => `Bearer ${base64(`ann:${secret}`)}`,
    '1 other scheme',
  ],
];

const swapCase = (text: string) =>
  [...text].map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase())).join('');

export const credentialCases: readonly HostCase[] = [
  ...accepted.map(
    ([label, authorization, clause]): HostCase => ({
      line: 1,
      ...(clause !== undefined && { clauses: [clause] }),
      label: `accepted: ${label}`,
      path: ECHO,
      authorization,
      status: 200,
      json: { user: { login: 'ann' } },
    }),
  ),
  ...refused.map(
    ([label, authorization, clause]): HostCase => ({
      line: 1,
      ...(clause !== undefined && { clauses: [clause] }),
      label: `refused: ${label}`,
      path: ECHO,
      authorization,
      status: 401,
      answerHeaders: { 'www-authenticate': /^Basic / },
      json: { toy: { kind: 'unauthorized' } },
    }),
  ),
];
