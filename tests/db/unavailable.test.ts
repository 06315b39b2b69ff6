// Which failures of a statement pass by themselves, and the words for a disk that takes nothing.
import { connect } from 'node:net';
import { NoConnection } from '../../db/connection-pool';
import { cannotRunHere, diskError } from '../../db/embedded/errors';
import { isUnavailable } from '../../db/unavailable';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });

test.each([
  ['a refused connection', withCode('ECONNREFUSED')],
  ['a reset connection', withCode('ECONNRESET', 'read ECONNRESET')],
  ['a server that shuts down', withCode('57P01')],
  ['a server that starts', withCode('57P03')],
  ['too many connections', withCode('53300')],
  ['a full disk of the server', withCode('53100')],
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a server that does not answer', new Error('timeout expired')],
  ['no free connection', new NoConnection(30)],
  ['all addresses refused', new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])],
])('%s passes', (_label, error) => {
  expect(isUnavailable(error)).toBe(true);
});

test('a socket that is gone passes', async () => {
  const error = await new Promise((resolve) => connect('/nowhere/.s.PGSQL.5432').once('error', resolve));
  expect(isUnavailable(error)).toBe(true);
});

test.each([
  ['a missing table', withCode('42P01')],
  ['a statement that was cancelled', withCode('57014')],
  ['too much temporary space', withCode('53400')],
  ['a missing file', withCode('ENOENT')],
  ['a fault of ours', new TypeError('x is not a function')],
  ['nothing', undefined],
])('%s does not pass', (_label, error) => {
  expect(isUnavailable(error)).toBe(false);
});

test.each([
  [
    withCode('EROFS', "EROFS: read-only file system, open 'postgres.log'"),
    /^The data directory lies on a read-only/,
  ],
  [
    withCode('ENOSPC', 'ENOSPC: no space left on device, write'),
    /^The disk of the data directory is full\. Make/,
  ],
])('%s is told with what to do about it', (error, words) => {
  expect(diskError(error)?.message).toMatch(words);
});

test('a server that does not start on a full disk is not answered with a database elsewhere', () => {
  const { message } = cannotRunHere('initdb failed (could not write to file: No space left on device).');
  expect(message).toMatch(/is full/);
  expect(message).not.toMatch(/DATABASE_URL/);
  expect(cannotRunHere('this system uses musl.').message).toMatch(/Set DATABASE_URL/);
});
