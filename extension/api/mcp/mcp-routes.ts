// MCP over HTTP: each message is sent in a separate POST request (Streamable HTTP, stateless, JSON).
// A call is aborted when its client disconnects or cancels it. The session id separates the calls of different clients.
import { z } from 'zod';
import type { HostRequest, HostResponse, RouteDefinition } from '../../../host-shim/extension-api';
import type { Steps } from '../../language/types/steps';
import { inTurns } from '../../query/in-turns';
import type { Analytics } from '../analytics';
import { mayRead } from '../routes/query-route';

export const MCP_PATH = '/mcp';

const SESSION = 'mcp-session-id';

const requestId = z.union([z.string(), z.number()]);
const messageSchema = z.object({
  method: z.string().optional(),
  id: requestId.optional(),
  params: z.looseObject({ requestId: requestId.optional() }).optional(),
});

/** Loading the module takes 100 ms, so commands do not load it, and a server loads it before the first message. */
export const loadMcp = () => import('./server.js');

type RunningCalls = Map<string, Set<AbortController>>;

export function mcpRoutes(analytics: Analytics): readonly RouteDefinition[] {
  const running: RunningCalls = new Map();
  const about = { path: MCP_PATH, checkedBy: 'route', input: z.object({}), permission: mayRead } as const;
  return [
    {
      ...about,
      methods: ['POST'],
      summary:
        'Answers a Model Context Protocol message. Its tools are the guide, datasets, checks and queries.',
      rateLimit: 'reading',
      isExpensive: true,
      handle: (request: HostRequest) => answerMessage(request, running, analytics),
    },
    {
      ...about,
      methods: ['GET', 'DELETE'],
      summary: 'Rejected with 405: the server sends no unsolicited messages and keeps no sessions.',
      rateLimit: 'none',
      handle: async () => failure(405, -32000, 'Send messages with POST.'),
    },
  ];
}

async function answerMessage(
  request: HostRequest,
  running: RunningCalls,
  analytics: Analytics,
): Promise<HostResponse> {
  const { user, headers } = request;
  if (user === null) throw new Error('The route needs a user.');
  // Web pages have no credentials: their requests would use those stored in the visitor's browser.
  if (headers.origin !== undefined)
    return failure(403, -32000, `MCP is not for web pages: the Origin header is ${headers.origin}.`);
  const parsed = await inTurns(parse(request.body));
  if (Array.isArray(parsed)) return failure(400, -32600, 'Send each message in a separate request.');
  const { data: message = {} } = messageSchema.safeParse(parsed);
  const keyOf = (id: string | number | undefined) =>
    JSON.stringify([user.id, user.key?.uuid, headers[SESSION], id]);
  if (message.method === 'notifications/cancelled')
    for (const call of running.get(keyOf(message.params?.requestId)) ?? []) call.abort();
  const call = new AbortController();
  const leave = () => call.abort();
  request.signal.addEventListener('abort', leave);
  // A client may use the same id for two calls; canceling the id aborts both.
  const key = keyOf(message.id);
  const calls = running.get(key) ?? new Set();
  running.set(key, calls.add(call));
  try {
    const { answerMcpMessage } = await loadMcp();
    return await answerMcpMessage(message, request, { analytics, user, signal: call.signal });
  } finally {
    request.signal.removeEventListener('abort', leave);
    calls.delete(call);
    if (calls.size === 0) running.delete(key);
  }
}

/** Returns undefined for invalid JSON, which the transport rejects. */
function* parse(body: string): Steps<unknown> {
  try {
    const message: unknown = JSON.parse(body);
    yield;
    return message;
  } catch {
    return undefined;
  }
}

/** A rejection as a JSON-RPC error. */
const failure = (status: number, code: number, message: string): HostResponse => ({
  status,
  ...(status === 405 && { headers: { Allow: 'POST' } }),
  body: { jsonrpc: '2.0', error: { code, message }, id: null },
});
