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
  const dataDir = await mkdtemp(join(await throwawayFolder(), 'qal-open-'));
  const database = await openDatabase({ dataDir, poolMax: 2, tempFileMb: 7, onPoolError: raise });
  try {
    expect(database.description).toMatch(/^embedded PostgreSQL \d+\.\d+ in /);
    await migrate(database.write, SCHEMAS, database.readerRole);
    const rows = await database.read.query({
      text: "SELECT current_user AS name, count(*) AS n, current_setting('temp_file_limit') AS most FROM analytics.device",
    });
    expect(rows).toEqual([{ name: 'qal_reader', n: 3, most: '7MB' }]);
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
  ])('%s, the certificate is checked only if it asks for that', (parameters, ssl) => {
    const [address] = databaseUrls.parse(`postgresql://me@host/stats${parameters}`);
    const found: unknown = new Client({ connectionString: address }).ssl;
    expect(typeof found === 'object' ? { ...found } : found).toEqual(ssl);
  });

  test('only a connection setting prevents the read pool from writing', async () => {
    const own = await createTestDatabase();
    const database = await openDatabase({ urls: [own.url], dataDir: '', poolMax: 2, onPoolError: raise });
    await expect(database.read.query({ text: WRITE })).rejects.toThrow('read-only transaction');
    expect(database.description).toMatch(/^PostgreSQL \d+\.\d+ at /);
    await database.stop();
    await own.drop();
  });

  test('and a reader URL, migrate() lets that role read but not write', async () => {
    const own = await createTestDatabase();
    const database = await openDatabase({
      urls: [own.url],
      readUrls: [own.readUrl],
      dataDir: '',
      poolMax: 2,
      onPoolError: raise,
    });
    await database.write.raw('REVOKE SELECT ON analytics.device FROM ??', [new URL(own.readUrl).username]);
    await migrate(database.write, SCHEMAS, database.readerRole);
    const rows = await database.read.query({ text: 'SELECT count(*) AS n FROM analytics.device' });
    expect(rows).toEqual([{ n: 3 }]);
    await expect(writeAfterSwitch(database)).rejects.toThrow('permission denied');
    await database.stop();
    await own.drop();
  });

  test('temporary files are limited if the role may set the limit; otherwise there is a warning', async () => {
    const own = await createTestDatabase();
    const parts = {
      urls: [own.url],
      dataDir: '',
      poolMax: 2,
      tempFileMb: 7,
      isHttpServer: true,
      onPoolError: raise,
    };
    const mostOf = ({ read }: Database) =>
      read.query({ text: "SELECT current_setting('temp_file_limit') AS most" });
    const allowed = await openDatabase(parts);
    expect([await mostOf(allowed), allowed.warnings]).toEqual([[{ most: '7MB' }], []]);
    const denied = await openDatabase({ ...parts, readUrls: [own.readUrl] });
    expect([await mostOf(denied), denied.warnings]).toEqual([
      [{ most: '-1' }],
      [expect.stringContaining("SET temp_file_limit = '7MB'")],
    ]);
    await Promise.all([allowed.stop(), denied.stop()]);
    await own.drop();
  });

  // conformance: beyond.another-database-never
  test('and a reader URL for a different database, opening it fails', async () => {
    const [own, other] = [await createTestDatabase(), await createTestDatabase()];
    const opening = openDatabase({
      urls: [own.url],
      readUrls: [other.readUrl],
      dataDir: '',
      poolMax: 2,
      onPoolError: raise,
    });
    await expect(opening).rejects.toThrow(
      /^DATABASE_READ_URL leads to a different database \(.+\) than DATABASE_URL \(.+\)\./,
    );
    await Promise.all([own.drop(), other.drop()]);
  });

  // conformance: beyond.another-database-never
  test('and replica URLs, a replica with a different database or role is excluded after its first read, and the others answer', async () => {
    const [own, other] = [await createTestDatabase(), await createTestDatabase()];
    const stranger = withRoleOf(own.readUrl, 'postgresql://nobody_of_this_name@');
    const told: string[] = [];
    const { replicas, stop } = await openDatabase({
      urls: [own.url],
      readUrls: [own.readUrl, other.readUrl, stranger],
      dataDir: '',
      poolMax: 2,
      isHttpServer: true,
      onPoolError: raise,
      onServerChange: (sentence) => void told.push(sentence),
    });
    const patience = { seconds: 60, signal: new AbortController().signal };
    for (let reads = 0; reads < 3; reads++)
      expect(
        await replicas?.read(
          patience,
          async () => true,
          async (connection) => (await connection.query('SELECT current_database() AS name')).rows,
        ),
      ).toEqual({ result: [{ name: new Client(own.url).database }] });
    expect(replicas?.states().map(({ fault }) => fault)).toEqual([
      undefined,
      'it does not replicate the database at DATABASE_URL',
      'role "nobody_of_this_name" does not exist',
    ]);
    expect(told).toHaveLength(2);
    const damaged = "DO $$ BEGIN RAISE EXCEPTION 'a page is damaged' USING ERRCODE = 'XX001'; END $$";
    const failing = async (connection: Queryable) => connection.query(damaged);
    expect(await replicas?.read(patience, async () => true, failing)).toBeUndefined();
    await stop();
    await Promise.all([own.drop(), other.drop()]);
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
    const own = await createTestDatabase();
    const parts = { dataDir: '', poolMax: 2, tempFileMb: 7, isHttpServer: true, onPoolError: raise };
    const url = own.url.replace(new Client(own.url).database ?? '', 'no_such_database');
    await expect(openDatabase({ ...parts, urls: [url] })).rejects.toThrow(
      /^PostgreSQL at .+ \(DATABASE_URL\) refused the connection: database "no_such_database" does not exist$/,
    );
    const stranger = withRoleOf(own.readUrl, 'postgresql://nobody_of_this_name@');
    await expect(openDatabase({ ...parts, urls: [own.url], readUrls: [stranger] })).rejects.toThrow(
      /^PostgreSQL at .+ \(DATABASE_READ_URL\) refused the connection: role "nobody_of_this_name" does not exist$/,
    );
    await own.drop();
  });

  // conformance: beyond.several-addresses-database
  test('if none of several addresses leads to a primary, the error lists the reasons', async () => {
    const addresses = [
      'postgresql://someone:s3cret@127.0.0.1:1/qal',
      'postgresql://someone:s3cret@127.0.0.1:2/qal',
    ];
    const opening = openDatabase({ urls: addresses, dataDir: '', poolMax: 2, onPoolError: raise });
    await expect(opening).rejects.toThrow(
      /^No address of DATABASE_URL leads to a primary\. 127\.0\.0\.1:1\/qal: connect ECONNREFUSED .*; 127\.0\.0\.1:2\/qal: /,
    );
    await expect(opening).rejects.not.toThrow('s3cret');
  });
});
