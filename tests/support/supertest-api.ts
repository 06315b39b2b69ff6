// supertest for a host. It is loaded on first use, because it is not installed in production. The types are our own, because
// those of supertest are in a separate package that users may not have.
import { createRequire } from 'node:module';

export interface TestAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly body: any;
  readonly text: string;
}

/** Credentials for Basic authentication. */
export interface Credentials {
  readonly login: string;
  readonly secret: string;
}

/** A supertest request, which is sent when it is awaited. */
export interface SupertestRequest extends PromiseLike<TestAnswer> {
  set(field: string, value: string): this;
  set(fields: Readonly<Record<string, string>>): this;
  unset(field: string): this;
  auth(login: string, secret: string): this;
  query(parameters: object): this;
  send(body?: object | string): this;
  expect(status: number): this;
  expect(status: number, body: unknown): this;
  expect(field: string, value: string | RegExp): this;
  expect(check: (answer: TestAnswer) => unknown): this;
}

export type SupertestMethod = 'get' | 'post' | 'head' | 'options' | 'put' | 'patch' | 'delete';

/** A supertest agent that keeps cookies. */
export type SupertestApi = Readonly<Record<SupertestMethod, (path: string) => SupertestRequest>>;

interface Agent extends SupertestApi {
  auth(login: string, secret: string, options: { readonly type: 'basic' }): this;
}

/** Creates an agent that sends these credentials with every request. */
export function supertestOn(url: string, user?: Credentials): SupertestApi {
  const agent = load().agent(url);
  return user === undefined ? agent : agent.auth(user.login, user.secret, { type: 'basic' });
}

function load(): { agent(url: string): Agent } {
  try {
    return createRequire(__filename)('supertest');
  } catch (cause) {
    throw new Error(
      'Sending requests to a test host requires the package supertest: npm install --save-dev supertest',
      { cause },
    );
  }
}
