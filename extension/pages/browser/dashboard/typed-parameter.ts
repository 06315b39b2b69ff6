import type { DashboardHead } from '../../shared-types/dashboard-types';

const TYPED = /^(\w+)\s*:\s*(\w+)\s*=\s*(.*)$/;

interface TypedParameter {
  readonly json: string;
}

/** The value of a filter that a user typed in these words; without a value after the `=`, it finds events without the parameter. */
export function typedParameter(
  line: string,
  events: DashboardHead['events'],
): TypedParameter | { readonly fault: string } {
  const [, event, parameter = '', text = ''] = TYPED.exec(line) ?? [];
  if (event === undefined)
    return { fault: 'Write an event, its parameter and a value, such as play: video = intro.' };
  const types = Object.hasOwn(events, event) ? events[event] : undefined;
  if (types === undefined || !Object.hasOwn(types, parameter))
    return { fault: `The event ${event} has no parameter ${parameter}.` };
  if (text === '') return { json: JSON.stringify([event, parameter, null]) };
  const value = types[parameter] === 'number' ? Number(text) : text;
  return typeof value === 'number' && !Number.isFinite(value)
    ? { fault: `The values of ${parameter} are numbers.` }
    : { json: JSON.stringify([event, parameter, value]) };
}
