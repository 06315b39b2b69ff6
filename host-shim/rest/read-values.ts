// Reads what the caller of a route says by address, query and body into one set of values, checked by the route's args.
// Words in -> values and faults, told in WordPress's words. The address wins, then the body, then the query.
import type { AddressQuery } from '../auth/authentication';
import type { HostResponse, InvalidParam, RouteArgument, RouteDefinition } from '../extension-api';
import { hostError, invalidJson, invalidParams, JSON_FAULTS } from './host-error';
import { readQuery, splitList } from './route-address';

export interface Said {
  readonly params: Readonly<Record<string, string>>;
  readonly query: AddressQuery;
  readonly body: { readonly text: string; readonly form?: true };
}

export type Values = Readonly<Record<string, unknown>>;
export type Faults = Readonly<Record<string, InvalidParam>>;

/** What could be read, and what could not. */
export interface ReadValues {
  readonly values: Values;
  /** Names of what must be said and is not. */
  readonly missing: readonly string[];
  readonly faults: Faults;
}

type Checked = { readonly value: unknown } | { readonly fault: InvalidParam };

const BOOLEANS = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
]);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function bodyValues({ text, form }: Said['body']): readonly (readonly [string, unknown])[] | HostResponse {
  if (form) return Object.entries(readQuery(text));
  if (text.trim() === '') return [];
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return invalidJson('Invalid JSON body passed.', JSON_FAULTS.syntax);
  }
  return isObject(json)
    ? Object.entries(json)
    : invalidJson('The JSON body must be an object of parameters.', JSON_FAULTS.none);
}

const fault = (code: string, message: string, data: object | null = null): Checked => ({
  fault: { code, message, data },
});

/** Half a pair of surrogates, or the mark that stands where bytes were no UTF-8. */
const NO_TEXT = /[\p{Cs}\ufffd]/u;

/** Digits beyond every number that is told apart are the greatest of them. */
function integerOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return value;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number(value), Number.MAX_SAFE_INTEGER));
}

function typedItems(name: string, type: 'string' | 'integer', items: readonly unknown[]): Checked {
  const checked = items.map((item, place) => typed(`${name}[${place}]`, { type }, item));
  const wrong = checked.find((one) => 'fault' in one);
  return wrong ?? { value: checked.flatMap((one) => ('value' in one ? [one.value] : [])) };
}

function typed(
  name: string,
  { type, items }: Pick<RouteArgument, 'type' | 'items'>,
  value: unknown,
): Checked {
  const wrong = fault('rest_invalid_type', `${name} is not of type ${type}.`, { param: name });
  switch (type) {
    case 'string':
      if (typeof value !== 'string') return wrong;
      return NO_TEXT.test(value) ? fault('rest_invalid_param', `${name} is not text in Unicode.`) : { value };
    case 'integer': {
      const number = integerOf(value);
      return Number.isSafeInteger(number) ? { value: number } : wrong;
    }
    case 'boolean':
      return BOOLEANS.has(value) ? { value: BOOLEANS.get(value) } : wrong;
    case 'object':
      return isObject(value) ? { value } : wrong;
    case 'array': {
      const list: unknown = typeof value === 'string' ? splitList(value) : value;
      return Array.isArray(list) ? typedItems(name, items?.type ?? 'string', list) : wrong;
    }
  }
}

function outOfBounds(name: string, { minimum, maximum }: RouteArgument, value: number): string | undefined {
  if ((minimum === undefined || value >= minimum) && (maximum === undefined || value <= maximum))
    return undefined;
  if (minimum !== undefined && maximum !== undefined)
    return `${name} must be between ${minimum} (inclusive) and ${maximum} (inclusive)`;
  return minimum === undefined
    ? `${name} must be less than or equal to ${maximum}`
    : `${name} must be greater than or equal to ${minimum}`;
}

function check(name: string, argument: RouteArgument, said: unknown): Checked {
  const checked = typed(name, argument, said);
  if ('fault' in checked) return checked;
  const { value } = checked;
  if (argument.enum !== undefined && typeof value === 'string' && !argument.enum.includes(value)) {
    return fault('rest_not_in_enum', `${name} is not one of ${spelled(argument.enum)}.`);
  }
  const bounds = typeof value === 'number' ? outOfBounds(name, argument, value) : undefined;
  return bounds === undefined ? checked : fault('rest_out_of_bounds', bounds);
}

const spelled = (names: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names);

function unknownFaults(
  said: ReadonlyMap<string, unknown>,
  { args, refuseUnknown }: Pick<RouteDefinition, 'args' | 'refuseUnknown'>,
  params: Said['params'],
): [string, InvalidParam][] {
  if (refuseUnknown === undefined) return [];
  const known = new Set([...Object.keys(args), ...Object.keys(params), ...refuseUnknown.except]);
  return [...said.keys()]
    .filter((name) => !known.has(name) && !name.startsWith('_'))
    .map((name) => {
      const message = `${name} is not a parameter here; these are: ${spelled(Object.keys(args))}.`;
      return [name, { code: 'rest_invalid_param', message, data: null }];
    });
}

/**
 * What nobody says, or says with null or (where it may be left out) with an empty text, has its argument's default or none.
 * An empty text of an argument in `refuseEmpty` is a fault.
 */
export function readValues(
  route: Pick<RouteDefinition, 'args' | 'refuseUnknown' | 'refuseEmpty'>,
  { params, query, body }: Said,
): ({ readonly ok: true } & ReadValues) | { readonly ok: false; readonly answer: HostResponse } {
  const inBody = bodyValues(body);
  if ('status' in inBody) return { ok: false, answer: inBody };
  const said = new Map<string, unknown>([...Object.entries(query), ...inBody, ...Object.entries(params)]);
  const values: Record<string, unknown> = { ...params };
  const faults = unknownFaults(said, route, params);
  const missing: string[] = [];
  for (const [name, argument] of Object.entries(route.args)) {
    const given = said.get(name);
    if (given === '' && route.refuseEmpty?.includes(name)) {
      const message = `${name} is empty; leave it out, or say what it shall be.`;
      faults.push([name, { code: 'rest_invalid_param', message, data: null }]);
      continue;
    }
    const isSaid = given !== undefined && given !== null && (given !== '' || argument.required);
    const value = isSaid ? given : argument.default;
    if (value === undefined) {
      if (argument.required) missing.push(name);
      continue;
    }
    const checked = check(name, argument, value);
    if ('fault' in checked) faults.push([name, checked.fault]);
    else values[name] = checked.value;
  }
  return { ok: true, values, missing, faults: Object.fromEntries(faults) };
}

/** The answer to faults, all of them in one; undefined where there are none. What is missing has a code of its own. */
export function refuseValues({ missing, faults }: Omit<ReadValues, 'values'>): HostResponse | undefined {
  const wrong = Object.keys(faults).length > 0;
  if (missing.length === 0) return wrong ? invalidParams(faults) : undefined;
  return hostError(400, 'rest_missing_callback_param', `Missing parameter(s): ${missing.join(', ')}`, {
    params: missing,
    ...(wrong && { details: faults }),
  });
}
