import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Database, openDatabase } from '../../db/connect';
import type { Queryable } from '../../db/connection-pool';
import { migrate } from '../../db/migrate';
import { databaseUrls, withRoleOf } from '../../db/read-addresses';
import { createTestDatabase } from '../support/database';
import { SCHEMAS } from '../support/test-server';
import { throwawayFolder } from '../support/throwaway-postgres';

function raise(error: Error): void {
  throw error;
}

const WRITE = "INSERT INTO analytics.os VALUES (1, 'Linux', gen_random_uuid())";

async function writeAfterSwitch(database: Database): Promise<unknown> {
  const patience = { seconds: 5, signal: new AbortController().signal };
  return database.read.withConnection(patience, async (client) => {
    await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
    await client.query(WRITE);
  });
}

test('without a URL, starts the embedded server, whose reader cannot write', async () => {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'qal-open-'));
  const database = await openDatabase({ dataDir, poolMax: 2, tempFileMb: 7, onPoolError: raise });
  try {
    expect(database.description).toMatch(/^embedded PostgreSQL \d+\.\d+ in /);
    await migrate(database.write, SCHEMAS, database.readerRole);
    const rows = await database.read.query({
      text: "SELECT current_user AS name, count(*) AS n, current_setting('temp_file_limit') AS max FROM analytics.device",
    });
    expect(rows).toEqual([{ name: 'qal_reader', n: 3, max: '7MB' }]);
    await expect(writeAfterSwitch(database)).rejects.toThrow('permission denied');
    await expect(database.read.query({ text: 'CREATE TEMP TABLE t (n int)' })).rejects.toThrow();
  } finally {
    await database.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

describe('with a URL', () => {
  test.each([
    ['', false],
    ['?sslmode=disable', false],
    ['?sslmode=require', { rejectUnauthorized: false }],
    ['?application_name=a&sslmode=prefer', { rejectUnauthorized: false }],
    ['?sslmode=no-verify', { rejectUnauthorized: false }],
    ['?sslmode=verify-full', {}],
    ['?uselibpqcompat=true&sslmode=require', { rejectUnauthorized: false }],
  ])('%s, the certificate is checked only if the URL requires it', (parameters, ssl) => {
    const [address] = databaseUrls.parse(`postgresql://me@host/stats${parameters}`);
    const found: unknown = new Client({ connectionString: address }).ssl;
    expect(typeof found === 'object' ? { ...found } : found).toEqual(ssl);
  });

  test('only a connection setting prevents the read pool from writing', async () => {
    const main = await createTestDatabase();
    const database = await openDatabase({ urls: [main.url], dataDir: '', poolMax: 2, onPoolError: raise });
    await expect(database.read.query({ text: WRITE })).rejects.toThrow('read-only transaction');
    expect(database.description).toMatch(/^PostgreSQL \d+\.\d+ at /);
    await database.stop();
    await main.drop();
  });

  test('and a reader URL, migrate() lets that role read but not write', async () => {
    const main = await createTestDatabase();
    const database = await openDatabase({
      urls: [main.url],
      readUrls: [main.readUrl],
      dataDir: '',
      poolMax: 2,
      onPoolError: raise,
    });
    await database.write.raw('REVOKE SELECT ON analytics.device FROM ??', [new URL(main.readUrl).username]);
    await migrate(database.write, SCHEMAS, database.readerRole);
    const rows = await database.read.query({ text: 'SELECT count(*) AS n FROM analytics.device' });
    expect(rows).toEqual([{ n: 3 }]);
    await expect(writeAfterSwitch(database)).rejects.toThrow('permission denied');
    await database.stop();
    await main.drop();
  });

  test('temporary files are limited if the role may set the limit; otherwise there is a warning', async () => {
    const main = await createTestDatabase();
    const options = {
      urls: [main.url],
      dataDir: '',
      poolMax: 2,
      tempFileMb: 7,
      isHttpServer: true,
      onPoolError: raise,
    };
    const limitOf = ({ read }: Database) =>
      read.query({ text: "SELECT current_setting('temp_file_limit') AS max" });
    const allowed = await openDatabase(options);
    expect([await limitOf(allowed), allowed.warnings]).toEqual([[{ max: '7MB' }], []]);
    const denied = await openDatabase({ ...options, readUrls: [main.readUrl] });
    expect([await limitOf(denied), denied.warnings]).toEqual([
      [{ max: '-1' }],
      [expect.stringContaining("SET temp_file_limit = '7MB'")],
    ]);
    await Promise.all([allowed.stop(), denied.stop()]);
    await main.drop();
  });

  // conformance: beyond.another-database-never
  test('and a reader URL for a different database, opening fails', async () => {
    const [main, other] = [await createTestDatabase(), await createTestDatabase()];
    const opening = openDatabase({
      urls: [main.url],
      readUrls: [other.readUrl],
      dataDir: '',
      poolMax: 2,
      onPoolError: raise,
    });
    await expect(opening).rejects.toThrow(
      /^DATABASE_READ_URL points to a different database \(.+\) than DATABASE_URL \(.+\)\./,
    );
    await Promise.all([main.drop(), other.drop()]);
  });

  // conformance: beyond.another-database-never
  test('and replica URLs, a replica with a different database or role is excluded after its first read, and the others are used', async () => {
    const [main, other] = [await createTestDatabase(), await createTestDatabase()];
    const stranger = withRoleOf(main.readUrl, 'postgresql://nobody_of_this_name@');
    const reported: string[] = [];
    const { replicas, stop } = await openDatabase({
      urls: [main.url],
      readUrls: [main.readUrl, other.readUrl, stranger],
      dataDir: '',
      poolMax: 2,
      isHttpServer: true,
      onPoolError: raise,
      onServerChange: (sentence) => void reported.push(sentence),
    });
    const patience = { seconds: 60, signal: new AbortController().signal };
    for (let reads = 0; reads < 3; reads++)
      expect(
        await replicas?.read(
          patience,
          async () => true,
          async (connection) => (await connection.query('SELECT current_database() AS name')).rows,
        ),
      ).toEqual({ result: [{ name: new Client(main.url).database }] });
    expect(replicas?.states().map(({ fault }) => fault)).toEqual([
      undefined,
      'it does not replicate the database at DATABASE_URL',
      'role "nobody_of_this_name" does not exist',
    ]);
    expect(reported).toHaveLength(2);
    const damaged = "DO $$ BEGIN RAISE EXCEPTION 'a page is damaged' USING ERRCODE = 'XX001'; END $$";
    const failing = async (connection: Queryable) => connection.query(damaged);
    expect(await replicas?.read(patience, async () => true, failing)).toBeUndefined();
    await stop();
    await Promise.all([main.drop(), other.drop()]);
  });

  test('if no server responds, the error names the address but not the password', async () => {
    const opening = openDatabase({
      urls: ['postgresql://someone:s3cret@127.0.0.1:1/qal'],
      dataDir: '',
      poolMax: 2,
      onPoolError: raise,
    });
    await expect(opening).rejects.toThrow('PostgreSQL does not respond at 127.0.0.1:1/qal (DATABASE_URL)');
    await expect(opening).rejects.not.toThrow('s3cret');
  });

  test('if the database or the role is rejected, the error names the setting', async () => {
    const main = await createTestDatabase();
    const options = { dataDir: '', poolMax: 2, tempFileMb: 7, isHttpServer: true, onPoolError: raise };
    const url = main.url.replace(new Client(main.url).database ?? '', 'no_such_database');
    await expect(openDatabase({ ...options, urls: [url] })).rejects.toThrow(
      /^PostgreSQL at .+ \(DATABASE_URL\) refused the connection: database "no_such_database" does not exist$/,
    );
    const stranger = withRoleOf(main.readUrl, 'postgresql://nobody_of_this_name@');
    await expect(openDatabase({ ...options, urls: [main.url], readUrls: [stranger] })).rejects.toThrow(
      /^PostgreSQL at .+ \(DATABASE_READ_URL\) refused the connection: role "nobody_of_this_name" does not exist$/,
    );
    await main.drop();
  });

  // conformance: beyond.several-addresses-database
  test('if none of several addresses leads to a primary, the error lists the reasons', async () => {
    const addresses = [
      'postgresql://someone:s3cret@127.0.0.1:1/qal',
      'postgresql://someone:s3cret@127.0.0.1:2/qal',
    ];
    const opening = openDatabase({ urls: addresses, dataDir: '', poolMax: 2, onPoolError: raise });
    await expect(opening).rejects.toThrow(
      /^No address in DATABASE_URL leads to a primary\. 127\.0\.0\.1:1\/qal: connect ECONNREFUSED .*; 127\.0\.0\.1:2\/qal: /,
    );
    await expect(opening).rejects.not.toThrow('s3cret');
  });
});
