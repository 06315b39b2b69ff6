// Owns the part of the error table about `result`, features and sizes.
import { entry, type Received } from './error-entry';
import { didYouMean, list, quote } from './wording';

export const RESULT_ERRORS = {
  E_INVALID_RESULT: entry<Received & { problem: 'shape' | 'use' | 'envelope' }>(
    400,
    '`result` is not an object, or `use` is not text.',
    ({ problem, received }) => ({
      message: {
        shape: `"result" must be an object, but it is ${quote(received)}.`,
        envelope: `The parameter envelope must be result or data, but it is ${quote(received)}.`,
        use: `result.use must be the name of a view, but it is ${quote(received)}.`,
      }[problem],
      example: {
        shape: 'Write "result": {"use": "top"}.',
        envelope: 'Leave it out for result.',
        use: 'Write "use": "top", the name of a view.',
      }[problem],
    }),
  ),
  E_RESULT_FORBIDDEN_KEY: entry<{
    key: string;
    keys: readonly string[];
    nearest?: string | undefined;
    /** Whether the key was to sort. */
    sorts: boolean;
    /** Whether the key was to skip rows. */
    skips?: boolean | undefined;
  }>(
    400,
    'A key of `result` other than `use`, `limit` and `count_only`.',
    ({ key, keys, nearest, sorts, skips = false }) => ({
      message: `"result" has no key ${quote(key)}; its keys are ${list(keys)}.${sorts ? ' Sorting belongs to the view.' : ''}`,
      hint: skips
        ? 'Rows cannot be skipped: take it out, and ask for more with "limit" or for fewer with a filter.'
        : undefined,
      example: sorts ? 'In the view write "sort": {"by": "views", "order": "desc"}.' : didYouMean(nearest),
    }),
  ),
  E_INVALID_LIMIT: entry<{ received: unknown; max: number }>(
    400,
    '`result.limit` is not a whole number in range.',
    ({ received, max }) => ({
      message: `result.limit must be a whole number from 1 to ${max}, but it is ${quote(received)}.`,
      example: `Write "limit": ${typeof received === 'number' && received > max ? max : 1000}.`,
    }),
  ),
  E_INVALID_COUNT_ONLY: entry<Received>(400, '`result.count_only` is not true or false.', ({ received }) => ({
    message: `result.count_only must be true or false, but it is ${quote(received)}.`,
    example: 'Write "count_only": true, or leave it out.',
  })),
  E_FEATURE_NOT_SUPPORTED: entry<{ feature: string; version: string; availableIn: string }>(
    400,
    'The contract does not have the feature.',
    ({ feature, version, availableIn }) => ({
      message: `Version ${version} does not support ${quote(feature)}.`,
      hint:
        availableIn === 'none'
          ? 'No version has it yet: take it out.'
          : `It is available in version ${availableIn}: POST /query?version=${availableIn}.`,
      details: { feature, version, available_in: availableIn },
    }),
  ),
  E_FEATURE_DISABLED: entry<{ feature: string }>(
    400,
    'The feature is switched off on this server.',
    ({ feature }) => ({
      message: `The feature ${quote(feature)} is off on this server.`,
      hint: 'features_detail of the guide tells which features are on.',
      details: { feature },
    }),
  ),
  E_QUERY_TOO_LARGE: entry<{
    what: 'views' | 'columns' | 'values' | 'levels' | 'reads' | 'bindings';
    count: number;
    max: number;
  }>(
    400,
    'More views, columns in a view, values in a list or in the whole query, materials joined through views, or levels of nesting than a query may have.',
    ({ what, count, max }) => ({
      message: {
        views: `The query has ${count} views; at most ${max} are allowed.`,
        columns: `The view has ${count} columns; at most ${max} are allowed.`,
        values: `The list has ${count} values; at most ${max} are allowed.`,
        bindings: `The view has ${count} values, through all views that it reads; at most ${max} are allowed.`,
        reads: `The view reads materials ${count} times, through all views that it joins; at most ${max} are allowed.`,
        levels: `The body is nested ${count} levels deep; at most ${max} are allowed.`,
      }[what],
      hint: 'Split the question into several queries.',
      details: { max },
    }),
  ),
};
