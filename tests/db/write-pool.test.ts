// Statements that Knex compiles and the pool executes, inside and outside of transactions.
import { DatabaseError } from 'pg';
import { connectionOf, poolOf } from '../../db/write-pool';
import { useTestDatabase } from '../support/use-database';

const database = useTestDatabase();
const notes = () => database.write.from('note').orderBy('text').pluck('text');

beforeAll(() => database.write.raw('CREATE TABLE note (text text PRIMARY KEY)'));
beforeEach(() => database.write.from('note').delete());

const failureOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test('every kind of statement returns its result', async () => {
  const insert = database.write.from('note').insert([{ text: 'a' }, { text: 'b' }]);
  expect(await insert.returning('text')).toEqual([{ text: 'a' }, { text: 'b' }]);
  expect(await database.write.from('note').where({ text: 'b' }).first('text')).toEqual({ text: 'b' });
  expect(await database.write.from('note').where({ text: 'c' }).first('text')).toBeUndefined();
  expect(await notes()).toEqual(['a', 'b']);
  expect(await database.write.from('note').update({ text: 'c' }).where({ text: 'b' })).toBe(1);
  expect((await database.write.raw("SELECT '\\?' || ? AS text", ['x'])).rows).toEqual([{ text: '?x' }]);
});

test('errors come from the database unchanged, without the statement or its values', async () => {
  await database.write.from('note').insert({ text: 'secret' });
  const failed = await failureOf(database.write.from('note').insert({ text: 'secret' }));
  expect(failed).toBeInstanceOf(DatabaseError);
  expect(failed).toMatchObject({
    code: '23505',
    message: 'duplicate key value violates unique constraint "note_pkey"',
  });
});

test('a nested transaction is rolled back separately', async () => {
  await database.write.transaction(async (outer) => {
    await outer.from('note').insert({ text: 'outer' });
    const inner = outer.transaction(async (transaction) => {
      await transaction.from('note').insert({ text: 'inner' });
      await transaction.raw('SELECT 1 / 0');
    });
    await expect(inner).rejects.toThrow('division by zero');
    await outer.transaction((transaction) => transaction.from('note').insert({ text: 'second' }).then());
  });
  expect(await notes()).toEqual(['outer', 'second']);
});

test('a connection that cannot roll back is closed, and the first failure is reported', async () => {
  const work = database.write.transaction(async (transaction) => {
    Object.assign(connectionOf(transaction), { query: () => Promise.reject(new Error('it is gone')) });
    throw new Error('the first failure');
  });
  await expect(work).rejects.toThrow('the first failure');
  const results = Array.from({ length: 2 * poolOf(database.write).size }, () => notes());
  expect(await Promise.all(results)).toEqual(results.map(() => []));
});

test('nothing can run in a transaction after its end', async () => {
  const { transaction } = await database.write.transaction(async (trx) => ({ transaction: trx }));
  await expect(failureOf(transaction.raw('SELECT 1'))).resolves.toMatchObject({
    message: 'The transaction is over.',
  });
  expect(() => poolOf(transaction)).toThrow('no pool');
  expect(() => connectionOf(database.write)).toThrow('outside a transaction');
});
