// Limits on users and requests.
import { maxHeaderSize } from 'node:http';
import { bytes, characters, error, type Limit, limit, NOT_SAVED, seconds, usual } from './limit';
import { sourceConstant, sourceText } from './source-constant';

const HTTP = 'host-shim/server/http-server.ts';
const ACCOUNT = 'host-shim/accounts/account-fields.ts';
const LOGIN = 'host-shim/sessions/log-in.ts';

const NO_LOGIN = '429 until the window ends, even for correct ones';

export const callerLimits = (): readonly Limit[] => [
  limit(
    'requests per user per minute, with application passwords',
    usual('QAL_RATE_PER_MINUTE'),
    error('E_RATE_LIMITED'),
    'QAL_RATE_PER_MINUTE',
  ),
  limit(
    'requests per user per hour, with application passwords',
    usual('QAL_RATE_PER_HOUR'),
    error('E_RATE_LIMITED'),
    'QAL_RATE_PER_HOUR',
  ),
  limit(
    'messages from AI clients (MCP) per user per minute',
    usual('QAL_MCP_RATE_PER_MINUTE'),
    error('E_RATE_LIMITED'),
    'QAL_MCP_RATE_PER_MINUTE',
  ),
  limit(
    'messages from AI clients (MCP) per user per hour',
    usual('QAL_MCP_RATE_PER_HOUR'),
    error('E_RATE_LIMITED'),
    'QAL_MCP_RATE_PER_HOUR',
  ),
  limit(
    'requests per user per minute, from pages',
    usual('QAL_PAGES_RATE_PER_MINUTE'),
    error('E_RATE_LIMITED'),
    'QAL_PAGES_RATE_PER_MINUTE',
  ),
  limit(
    'requests per user per hour, from pages',
    usual('QAL_PAGES_RATE_PER_HOUR'),
    error('E_RATE_LIMITED'),
    'QAL_PAGES_RATE_PER_HOUR',
  ),
  limit(
    'requests per minute through a shared link, from one address',
    usual('QAL_PAGES_RATE_PER_MINUTE'),
    error('E_RATE_LIMITED'),
    'QAL_PAGES_RATE_PER_MINUTE',
  ),
  limit(
    'requests per hour through a shared link, from one address',
    usual('QAL_PAGES_RATE_PER_HOUR'),
    error('E_RATE_LIMITED'),
    'QAL_PAGES_RATE_PER_HOUR',
  ),
  guard(
    'wrong application passwords from one address',
    'host-shim/auth/login-guard.ts',
    'LOGIN_GUARD',
    '429 for wrong ones until the window ends; a correct one is accepted',
  ),
  guard('failed logins from one address', LOGIN, 'PAGE_LOGIN_GUARD', NO_LOGIN),
  guard('failed logins for one account', LOGIN, 'ACCOUNT_LOGIN_GUARD', NO_LOGIN),
  guard(
    'wrong second-factor codes for one account',
    'host-shim/auth/second-factor.ts',
    'SECOND_FACTOR_GUARD',
    `${NO_LOGIN}; recovery codes are accepted`,
  ),
  limit(
    'line of input to `qal mcp`',
    bytes(sourceConstant('extension/api/mcp/stdio.ts', 'MAX_LINE_BYTES')),
    'the program ends with exit code 1',
  ),
  limit('login', characters(sourceText(ACCOUNT, '{1,60}$', 60)), NOT_SAVED),
  limit('e-mail address', characters(sourceText(ACCOUNT, '.max(254,', 254)), NOT_SAVED),
  limit(
    'name of an account or application password',
    characters(sourceConstant(ACCOUNT, 'MAX_NAME_LENGTH')),
    NOT_SAVED,
  ),
  limit(
    'login password',
    `${sourceConstant('host-shim/auth/login-password.ts', 'MIN_LOGIN_PASSWORD_LENGTH')} to ${characters(sourceConstant('host-shim/auth/login-password.ts', 'MAX_LOGIN_PASSWORD_LENGTH'))}`,
    NOT_SAVED,
  ),
  limit(
    'addresses and ranges for an application password',
    sourceConstant('host-shim/auth/key-restrictions.ts', 'MAX_RANGES'),
    NOT_SAVED,
  ),
  limit(
    'session',
    `${sourceText('host-shim/sessions/sessions.ts', 'session: 48 * HOUR_MS', 2)} days; *Stay logged in*: ${sourceText('host-shim/sessions/sessions.ts', 'remembered: 14 * 24 * HOUR_MS', 14)} days`,
    'log in again',
  ),
];

const guard = (of: string, file: string, name: string, beyond: string): Limit =>
  limit(
    of,
    `${sourceConstant(file, name, 'failures')} in ${sourceConstant(file, name, 'windowSeconds') / 60} minutes`,
    beyond,
  );

export const requestLimits = (): readonly Limit[] => [
  limit('request headers', bytes(maxHeaderSize), '431 `rest_headers_too_large`'),
  limit(
    'time until the headers have arrived',
    seconds(sourceConstant(HTTP, 'HEADERS_LIMIT_MS')),
    '408 `rest_request_timeout`',
  ),
  limit(
    'time until a body has arrived (uploads: see above)',
    seconds(sourceConstant('host-shim/rest/open-body.ts', 'UPLOAD_LIMIT_MS')),
    '408 `rest_request_timeout`',
  ),
  limit(
    'form on a page',
    bytes(sourceConstant('host-shim/admin/form-request.ts', 'LIMIT_KB') * 1024),
    '413; nothing is changed',
  ),
];
