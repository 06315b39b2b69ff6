// What the caller says of an application password that is there: another name. Its restrictions stay as they are.
// Values of a call -> what is wrong with which parameter. An item that is sent back as it was shown is no fault.
import { checkFields } from '../../auth/account-fields';
import type { InvalidParam, RouteArgument } from '../../extension-api';
import type { Faults, Values } from '../read-values';
import { textIn } from './typed-values';

const shown = (type: RouteArgument['type']): RouteArgument => ({
  type,
  description: 'As it is shown: it cannot be changed.',
  required: false,
});

const FIXED: Readonly<Record<string, RouteArgument>> = {
  app_id: shown('string'),
  expires_at: shown('string'),
  sites: shown('array'),
  address_ranges: shown('array'),
  rate_share: shown('integer'),
};

export const RENAME_ARGS: Readonly<Record<string, RouteArgument>> = {
  name: { type: 'string', description: 'Another name; left out, it stays as it is.', required: false },
  ...FIXED,
};

export const wrong = (message: string, code = 'rest_invalid_param'): InvalidParam => ({
  code,
  message,
  data: null,
});

/** What is wrong with a name; an empty one has WordPress's own code. */
export function faultsOfName(name: string): readonly (readonly [string, InvalidParam])[] {
  if (name.trim() === '') {
    const message = 'An application name is required to create an application password.';
    return [['name', wrong(message, 'application_password_empty_name')]];
  }
  const checked = checkFields({ name });
  return checked.ok ? [] : [['name', wrong(checked.fault.message)]];
}

/** `item` is the application password as it is shown. */
export function changeFaults(values: Values, item: object): Faults {
  const is = new Map<string, unknown>(Object.entries(item));
  const changed = Object.keys(FIXED).filter(
    (name) => values[name] !== undefined && JSON.stringify(values[name]) !== JSON.stringify(is.get(name)),
  );
  const name = textIn(values, 'name');
  return Object.fromEntries([
    ...changed.map(
      (one) => [one, wrong(`${one} cannot be changed; make another application password.`)] as const,
    ),
    ...(name === undefined ? [] : faultsOfName(name)),
  ]);
}
