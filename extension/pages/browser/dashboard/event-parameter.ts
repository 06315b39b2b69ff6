// Converts the values of event-parameter filters between JSON such as `["play", "video", "intro"]` and text such as
// `play: video = intro`.
import type { DashboardHead } from '../../shared-types/dashboard-types';
import { parsedJson } from '../shared/rest-answer';

export function parameterInWords(json: string): string {
  const parts = parsedJson(json);
  if (!Array.isArray(parts)) return json;
  const [event, parameter, value] = parts;
  return `${event}: ${parameter} = ${value ?? 'not sent'}`;
}

const TYPED = /^(\w+)\s*:\s*(\w+)\s*=\s*(.*)$/;

/**
 * Parses what a user typed, such as `play: video = intro`. If nothing follows the `=`, the filter matches events without
 * the parameter.
 */
export function typedParameter(
  line: string,
  events: DashboardHead['events'],
): { readonly json: string } | { readonly fault: string } {
  const [, event, parameter = '', text = ''] = TYPED.exec(line) ?? [];
  if (event === undefined)
    return { fault: 'Enter an event, its parameter and a value, such as play: video = intro.' };
  const types = Object.hasOwn(events, event) ? events[event] : undefined;
  if (types === undefined || !Object.hasOwn(types, parameter))
    return { fault: `The event ${event} has no parameter ${parameter}.` };
  if (text === '') return { json: JSON.stringify([event, parameter, null]) };
  const value = types[parameter] === 'number' ? Number(text) : text;
  return typeof value === 'number' && !Number.isFinite(value)
    ? { fault: `The values of ${parameter} are numbers.` }
    : { json: JSON.stringify([event, parameter, value]) };
}
