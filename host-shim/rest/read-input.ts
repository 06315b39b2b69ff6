// Reads the parameters from the path, query and body, and checks them against the route's `input`.
// Conversions and messages are WordPress's: numbers, booleans and lists may be sent as strings.
import { z } from 'zod';
import { parsedJson } from '../../db/parsed-json';
import type { AddressQuery } from '../auth/authentication';
import type { InvalidParam, Refusal } from '../extension-api';
import { hostError, invalidJson, invalidParams, JSON_FAULTS, RestError } from './host-error';
import { readQuery, splitList } from './route-address';

type Values = Readonly<Record<string, unknown>>;
export type Faults = Readonly<Record<string, InvalidParam>>;

export interface Received {
  readonly params: Readonly<Record<string, string>>;
  readonly query: AddressQuery;
  readonly body: { readonly text: string; readonly form?: true };
}

interface InputResult {
  readonly values: Values;
  readonly missing: readonly string[];
  readonly faults: Faults;
}

export interface Parameter {
  readonly isRequired: boolean;
  readonly schema: z.core.JSONSchema.BaseSchema;
}

const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  [1, true],
  ['false', false],
  ['0', false],
  [0, false],
]);

/** A lone surrogate, or the replacement character for invalid UTF-8. */
const NOT_UNICODE = /[\p{Cs}\ufffd]/u;

const described = new WeakMap<z.ZodObject, ReadonlyMap<string, Parameter>>();

/** Includes parameters that are accepted and ignored (`readOnly`). */
export function parametersOf(input: z.ZodObject): ReadonlyMap<string, Parameter> {
  const known = described.get(input);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', override: dropSafeBounds });
  const parameters = new Map(
    Object.entries(properties).flatMap(([name, schema]): [string, Parameter][] =>
      typeof schema === 'object' ? [[name, { schema, isRequired: required.includes(name) }]] : [],
    ),
  );
  described.set(input, parameters);
  return parameters;
}

/** zod limits every integer to what a double can represent exactly. That limit is not one of the route's rules. */
function dropSafeBounds({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function readBodyValues({ text, form }: Received['body']): Values {
  if (form) return readQuery(text);
  if (text.trim() === '') return {};
  const json = parsedJson(text);
  if (json === undefined) throw new RestError(invalidJson('Invalid JSON body passed.', JSON_FAULTS.syntax));
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { ...json };
  throw new RestError(invalidJson('The JSON body must be an object of parameters.', JSON_FAULTS.none));
}

/** Converts a string to its parameter's type if possible; otherwise returns the value unchanged. */
function coerce(value: unknown, { type, items }: z.core.JSONSchema.BaseSchema): unknown {
  // zod would read `length` from any object.
  if ((type === 'string' || type === 'array') && isObject(value)) return {};
  if (type === 'boolean') return BOOLEANS.get(value) ?? value;
  if (type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value))
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(value), Number.MAX_SAFE_INTEGER));
  if (type !== 'array') return value;
  const list: unknown = typeof value === 'string' ? splitList(value) : value;
  if (!Array.isArray(list) || typeof items !== 'object' || Array.isArray(items)) return list;
  return list.map((item) => coerce(item, items));
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSent = (value: unknown, parameter: Parameter | undefined): boolean =>
  parameter === undefined ||
  (value !== null && (value !== '' || parameter.isRequired || parameter.schema.emptyIsSent === true));

/** The result has no prototype, so that `toString` is a name like any other. */
function collect(
  { params, query, body }: Received,
  parameters: ReadonlyMap<string, Parameter>,
): Record<string, unknown> {
  const sent: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries({ ...query, ...readBodyValues(body), ...params })) {
    const parameter = parameters.get(name);
    // On every route, WordPress allows its own parameters, such as _fields and _locale.
    if (parameter === undefined && name.startsWith('_')) continue;
    if (isSent(value, parameter))
      sent[name] = parameter === undefined ? value : coerce(value, parameter.schema);
  }
  return sent;
}

const listNames = (names: readonly string[]) =>
  new Intl.ListFormat('en', { type: 'conjunction' }).format(names);

const fault = (code: string, message: string, data: object | null = null): InvalidParam => ({
  code,
  message,
  data,
});

const WORDPRESS_TYPES: Readonly<Record<string, string>> = {
  number: 'integer',
  int: 'integer',
  record: 'object',
};

function boundsMessage(name: string, { minimum, maximum }: z.core.JSONSchema.BaseSchema): string {
  if (minimum !== undefined && maximum !== undefined)
    return `${name} must be between ${minimum} (inclusive) and ${maximum} (inclusive)`;
  return minimum === undefined
    ? `${name} must be less than or equal to ${maximum}`
    : `${name} must be greater than or equal to ${minimum}`;
}

function faultOf(issue: z.core.$ZodIssue, sent: unknown, parameter: Parameter): InvalidParam {
  const [name = '', ...places] = issue.path.map(String);
  const place = name + places.map((at) => `[${at}]`).join('');
  const wrongType = (type: string) =>
    fault('rest_invalid_type', `${place} is not of type ${type}.`, { param: place });
  if (sent === '' && parameter.schema.emptyIsSent === true)
    return fault('rest_invalid_param', `${name} is empty; leave it out, or send a value.`);
  if (issue.code === 'invalid_type') return wrongType(WORDPRESS_TYPES[issue.expected] ?? issue.expected);
  if (issue.code === 'invalid_value')
    return typeof issue.input === 'string'
      ? fault('rest_not_in_enum', `${place} is not one of ${listNames(issue.values.map(String))}.`)
      : wrongType('string');
  if (issue.code === 'too_small' || issue.code === 'too_big')
    return fault('rest_out_of_bounds', boundsMessage(place, parameter.schema));
  const code: unknown = issue.code === 'custom' ? issue.params?.code : undefined;
  return fault(typeof code === 'string' ? code : 'rest_invalid_param', issue.message);
}

function textFault(name: string, value: unknown): string | undefined {
  const named = Array.isArray(value)
    ? value.map((item, index) => [`${name}[${index}]`, item])
    : [[name, value]];
  for (const [place, text] of named) {
    if (typeof text !== 'string') continue;
    if (NOT_UNICODE.test(text)) return `${place} is not valid Unicode text.`;
    if (text.includes('\0')) return `${place} contains the character U+0000, which cannot be stored.`;
  }
  return undefined;
}

function* unknownFaults(
  issues: readonly z.core.$ZodIssue[],
  parameters: ReadonlyMap<string, Parameter>,
): Generator<[string, InvalidParam]> {
  const known = [...parameters].flatMap(([name, { schema }]) => (schema.readOnly ? [] : [name]));
  for (const issue of issues)
    for (const name of issue.code === 'unrecognized_keys' ? issue.keys : []) {
      const message = `${name} is not a parameter of this route; its parameters are: ${listNames(known)}.`;
      yield [name, fault('rest_invalid_param', message)];
    }
}

/** Throws a RestError if the body is not a JSON object. */
export function readInput(input: z.ZodObject, received: Received): InputResult {
  const parameters = parametersOf(input);
  const sent = collect(received, parameters);
  const { data, error } = input.safeParse(sent, { reportInput: true });
  const issues = error?.issues ?? [];
  const missing: string[] = [];
  const faults = new Map(unknownFaults(issues, parameters));
  for (const [name, { schema }] of parameters) {
    const isText = ['string', 'array'].includes(String(schema.type));
    const message = isText ? textFault(name, sent[name]) : undefined;
    if (message !== undefined) faults.set(name, fault('rest_invalid_param', message));
  }
  for (const issue of issues) {
    const name = String(issue.path[0]);
    const parameter = parameters.get(name);
    if (parameter === undefined) continue;
    if (!(name in sent)) missing.push(name);
    else if (!faults.has(name)) faults.set(name, faultOf(issue, sent[name], parameter));
  }
  if (data !== undefined && faults.size === 0) return { values: data, missing, faults: {} };
  const valid = Object.entries(sent).filter(([name]) => !faults.has(name));
  const values = input
    .partial()
    .safeParse(Object.assign(Object.create(null), Object.fromEntries(valid))).data;
  return { values: values ?? {}, missing, faults: Object.fromEntries(faults) };
}

/** Returns a single response for all errors; undefined if there are none. The error code is different if any parameters are missing. */
export function refuseInput({ missing, faults }: Omit<InputResult, 'values'>): Refusal | undefined {
  const hasFaults = Object.keys(faults).length > 0;
  if (missing.length === 0) return hasFaults ? invalidParams(faults) : undefined;
  return hostError(400, 'rest_missing_callback_param', `Missing parameter(s): ${missing.join(', ')}`, {
    params: missing,
    ...(hasFaults && { details: faults }),
  });
}
