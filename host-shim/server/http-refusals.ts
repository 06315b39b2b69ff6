// Requests that are refused before they reach Express: malformed ones, and those that a proxy could interpret differently.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostError } from '../rest/host-error';

type HttpRefusal = readonly [status: number, code: string, message: string];

const NOT_HTTP: HttpRefusal = [400, 'rest_bad_request', 'This is not a valid HTTP request.'];
const PARSER_REFUSALS: Readonly<Record<string, HttpRefusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'rest_headers_too_large', 'The headers are larger than the server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'rest_request_timeout', 'The request took too long to arrive.'],
};

/** `code` is Node's error code. */
export const unparsed = (code: string | undefined): HttpRefusal => PARSER_REFUSALS[code ?? ''] ?? NOT_HTTP;

export const UNKNOWN_EXPECTATION: HttpRefusal = [
  417,
  'rest_unknown_expectation',
  'The only supported value of the Expect header is 100-continue; leave the header out.',
];
export const NO_TUNNEL: HttpRefusal = [
  405,
  'rest_no_tunnel',
  'This server is not a proxy, so it does not support CONNECT.',
];
const NO_HOST: HttpRefusal = [
  400,
  'rest_missing_host',
  'The request has no Host header, which HTTP/1.1 requires.',
];
const SEVERAL_HOSTS: HttpRefusal = [400, 'rest_several_hosts', 'The request has more than one Host header.'];
const NO_ADDRESS: HttpRefusal = [400, 'rest_invalid_address', 'The request target is not a valid address.'];

const countHosts = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length;

/** Returns why the request must be refused; undefined if it can be handled. */
export function refusalFor(request: IncomingMessage): HttpRefusal | undefined {
  const { httpVersion, headers, url = '' } = request;
  if (headers.host === undefined && httpVersion === '1.1') return NO_HOST;
  if (countHosts(request) > 1) return SEVERAL_HOSTS;
  return url.startsWith('/') || url === '*' || URL.canParse(url) ? undefined : NO_ADDRESS;
}

export function refuseRequest(response: ServerResponse, [status, code, message]: HttpRefusal): void {
  response.writeHead(status, { Connection: 'close', 'Content-Type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(hostError(status, code, message).body));
}
