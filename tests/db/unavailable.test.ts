// Failures that are treated as temporary, and the messages about a disk that cannot be written to.
import { connect } from 'node:net';
import { NoConnection } from '../../db/connection-pool';
import { cannotRunHere, diskError } from '../../db/embedded/errors';
import { isUnavailable, workerFault } from '../../db/unavailable';

const withCode = (code: string, message = 'x') => Object.assign(new Error(message), { code });
const citusError = (code: string, message: string) =>
  Object.assign(withCode(code, message), { name: 'error' });

test.each([
  ['a refused connection', withCode('ECONNREFUSED')],
  ['a reset connection', withCode('ECONNRESET', 'read ECONNRESET')],
  ['a server that is shutting down', withCode('57P01')],
  ['a server that is starting', withCode('57P03')],
  ['too many connections', withCode('53300')],
  ['a full disk on the server', withCode('53100')],
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a server that does not respond', new Error('timeout expired')],
  ['no free connection', new NoConnection(30)],
  ['a worker that refuses connections', citusError('08006', 'connection to the remote node a@b:5432 failed')],
  ['a worker that was restarted', citusError('XX000', 'failure on connection marked as essential: b:5432')],
  ['a refusal by all addresses', new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')])],
])('%s is temporary', (_label, error) => {
  expect(isUnavailable(error)).toBe(true);
});

const REMOTE = 'connection to the remote node qal_owner@10.0.0.3:5432 failed with the following error: ';

test.each([
  [`${REMOTE}Connection refused\n\tIs the server running?`, 'does not respond.'],
  ['failure on connection marked as essential: 10.0.0.3:5432', 'does not respond.'],
  [
    `${REMOTE}FATAL:  password authentication failed for user "qal_owner"`,
    'refuses connections: password authentication failed for user "qal_owner".',
  ],
])('the message for %j names the worker in one sentence', (message, rest) => {
  expect(workerFault(citusError('08006', message))).toBe(`The Citus worker 10.0.0.3:5432 ${rest}`);
});

test('a missing socket is temporary', async () => {
  const error = await new Promise((resolve) => connect('/nowhere/.s.PGSQL.5432').once('error', resolve));
  expect(isUnavailable(error)).toBe(true);
});

test.each([
  ['a missing table', withCode('42P01')],
  ['a canceled statement', withCode('57014')],
  ['too much temporary space', withCode('53400')],
  ['a missing file', withCode('ENOENT')],
  ['a different Citus failure', citusError('XX000', 'could not find valid entry for shard 102040')],
  ['a bug in our code', new TypeError('x is not a function')],
  ['an undefined error', undefined],
])('%s is not temporary', (_label, error) => {
  expect(isUnavailable(error)).toBe(false);
});

test.each([
  [
    withCode('EROFS', "EROFS: read-only file system, open 'postgres.log'"),
    /^The data directory is on a read-only/,
  ],
  [
    withCode('ENOSPC', 'ENOSPC: no space left on device, write'),
    /^The data directory's disk is full\. Free up/,
  ],
])('%s is reported with advice', (error, words) => {
  expect(diskError(error)?.message).toMatch(words);
});

test('if a server cannot start because the disk is full, the error does not suggest using another database', () => {
  const { message } = cannotRunHere('initdb failed (could not write to file: No space left on device).');
  expect(message).toMatch(/is full/);
  expect(message).not.toMatch(/DATABASE_URL/);
  expect(cannotRunHere('this system uses musl.').message).toMatch(/Set DATABASE_URL/);
});
