// Relays MCP from standard input to another installation, which answers each message in the response to its POST. So every
// request has exactly one answer, and the other installation cannot send anything else.
import { isNativeError } from 'node:util/types';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { parsedJson } from '../../language/types/json';
import { openStdio, type Streams } from './stdio';

/** Far more than any installation sends. */
const MAX_ANSWER_BYTES = 128 * 2 ** 20;

const NO_MCP = 'answered with something other than MCP.';

/** The other installation sent no valid answer. The message continues a sentence that starts with that installation's origin. */
class NotAnswered extends Error {
  override readonly name = 'NotAnswered';
}

export async function relayOnStdio(url: URL, authorization: string, streams: Streams): Promise<void> {
  const { transport, done } = openStdio(streams);
  const ended = new AbortController();
  const headers = new Headers({
    Authorization: authorization,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  });
  const post = (message: JSONRPCMessage): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      redirect: 'manual',
      signal: ended.signal,
    });

  async function answerTo(request: JSONRPCRequest): Promise<JSONRPCMessage> {
    try {
      const response = await post(request);
      const answer = await readAnswer(response, request);
      if (request.method === 'initialize') noteSession(headers, response, answer);
      return answer;
    } catch (error) {
      const message = `${url.origin} ${whatFailed(error)}`;
      return { jsonrpc: '2.0', id: request.id, error: { code: -32_000, message } };
    }
  }

  const trackRequest = transport.onmessage;
  transport.onmessage = (message) => {
    trackRequest?.(message);
    if (isJSONRPCRequest(message)) void answerTo(message).then((answer) => transport.send(answer));
    // Notifications have no answer, even if they fail.
    else
      post(message).then(
        (response) => response.body?.cancel(),
        () => undefined,
      );
  };
  await transport.start();
  await done.finally(() => ended.abort());
  await transport.close();
}

/** Adds the session and the protocol version to the headers of later messages. */
function noteSession(headers: Headers, response: Response, answer: JSONRPCMessage): void {
  const session = response.headers.get('mcp-session-id');
  if (session !== null) headers.set('mcp-session-id', session);
  if (isJSONRPCResultResponse(answer))
    headers.set('mcp-protocol-version', String(answer.result.protocolVersion));
}

async function readAnswer(response: Response, { id }: JSONRPCRequest): Promise<JSONRPCMessage> {
  if (!response.ok) {
    await response.body?.cancel();
    const { status } = response;
    throw new NotAnswered(
      status === 401 ? 'refuses this user and application password.' : `answered with status ${status}.`,
    );
  }
  const answer = parsedJson(await readText(response));
  const isAnswer = isJSONRPCResultResponse(answer) || isJSONRPCErrorResponse(answer);
  if (!isAnswer || answer.id !== id) throw new NotAnswered(NO_MCP);
  return answer;
}

async function readText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new NotAnswered(`answered with more than ${MAX_ANSWER_BYTES / 2 ** 20} MB.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Clients show this text, so it contains nothing that the other installation sent. */
function whatFailed(error: unknown): string {
  if (error instanceof NotAnswered) return error.message;
  // fetch throws a TypeError if it cannot reach the address or the connection breaks.
  return isNativeError(error) && error.name === 'TypeError' ? 'cannot be reached.' : NO_MCP;
}
