// supertest on a host, loaded on first use: a production server does not have it.
// The types are our own, because supertest's come from another package that a consumer may lack.
import { createRequire } from 'node:module';
import type { TestAnswer } from './send-request';

/** A supertest request, sent when awaited. */
export interface SupertestRequest extends PromiseLike<TestAnswer> {
  set(field: string, value: string): this;
  set(fields: Readonly<Record<string, string>>): this;
  auth(login: string, secret: string): this;
  query(parameters: object): this;
  send(body?: object | string): this;
  expect(status: number): this;
  expect(status: number, body: unknown): this;
  expect(field: string, value: string | RegExp): this;
  expect(check: (answer: TestAnswer) => unknown): this;
}

export type SupertestApi = Readonly<
  Record<'get' | 'post' | 'head' | 'options' | 'put' | 'delete', (path: string) => SupertestRequest>
>;

/** supertest for that address. */
export function supertestOn(url: string): SupertestApi {
  return load()(url);
}

function load(): (url: string) => SupertestApi {
  try {
    return createRequire(__filename)('supertest');
  } catch (cause) {
    throw new Error('`api` needs the package supertest: npm install --save-dev supertest', { cause });
  }
}
