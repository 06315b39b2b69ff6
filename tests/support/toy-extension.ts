// An extension for tests of the host. Its routes echo, fail and wait, and it formats errors in its own way.
import { z } from 'zod';
import {
  type Extension,
  HOST_API,
  type HostFailure,
  type HostRequest,
  type RawRoute,
  type RouteDefinition,
} from '../../host-shim/extension-api';

export interface Toy {
  readonly extension: Extension;
  /** All requests that reached a handler. */
  readonly calls: HostRequest[];
  /** Lets waiting requests to /slow continue. */
  release(): void;
  /** Resolves once /slow has been requested. */
  readonly slowBegun: Promise<void>;
}

const STATUS: Readonly<Record<HostFailure['kind'], number>> = {
  unauthorized: 401,
  'rate-limited': 429,
  'too-many-failed-logins': 429,
  'body-too-large': 413,
  'not-json': 400,
  unavailable: 503,
  overloaded: 503,
  internal: 500,
};

export function createToy(extra: readonly RouteDefinition[] = []): Toy {
  const calls: HostRequest[] = [];
  let release = () => {};
  let begin = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slowBegun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const shared = {
    checkedBy: 'route',
    input: z.object({}),
    summary: 'A toy.',
    permission: 'logged-in',
    rateLimit: 'per-user',
  } as const;
  const echo: RawRoute['handle'] = async (request) => {
    calls.push(request);
    return {
      status: 200,
      body: {
        method: request.method,
        path: request.path,
        query: request.query,
        text: request.body,
        user: request.user,
      },
    };
  };
  const routes: RouteDefinition[] = [
    {
      ...shared,
      path: '/echo',
      methods: ['GET', 'POST'],
      input: z.object({ version: z.string().optional().describe('Any.') }),
      handle: echo,
    },
    { ...shared, path: '/open', methods: ['GET'], permission: 'public', rateLimit: 'none', handle: echo },
    {
      ...shared,
      path: '/admins',
      methods: ['POST'],
      permission: ({ role }) => role === 'administrator',
      rateLimit: 'none',
      handle: echo,
    },
    {
      ...shared,
      path: '/broken',
      methods: ['GET'],
      handle: async () => {
        throw new Error('secret detail');
      },
    },
    {
      ...shared,
      path: '/slow',
      methods: ['GET'],
      handle: async (request: HostRequest) => {
        calls.push(request);
        begin();
        await released;
        return { status: 200, body: 'late' };
      },
    },
    ...extra,
  ];
  const extension: Extension = {
    name: 'toy',
    version: '1.0.0',
    description: 'A toy.',
    requires: { hostApi: HOST_API },
    commands: [],
    register: async (host) =>
      host.addAction('rest_api_init', ({ registerNamespace }) =>
        registerNamespace({
          name: 'toy/v1',
          description: 'Toys.',
          routes,
          answerFailure: (failure, request) => ({
            status: STATUS[failure.kind],
            body: { toy: failure, path: request.path },
          }),
        }),
      ),
  };
  return { extension, calls, release: () => release(), slowBegun };
}
