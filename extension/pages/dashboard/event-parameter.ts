// A value of the filter by event parameters is JSON text: ["play", "video", "intro"].
import { z } from 'zod';
import { parsedJson } from '../../language/types/json';
import { type AskedFilter, type DashboardHead, PARAMETER } from '../shared-types/dashboard-types';

const parameterSchema = z.tuple([
  z.string().regex(/^\w+$/),
  z.string().regex(/^\w+$/),
  z.union([z.string(), z.number(), z.null()]),
]);

type EventParameter = z.output<typeof parameterSchema>;

/** undefined if it is not such a value. */
export function readParameter(text: string | null): EventParameter | undefined {
  return text === null ? undefined : parameterSchema.safeParse(parsedJson(text)).data;
}

type Events = DashboardHead['events'];

/** Excludes the other columns of events, which identify visits. */
export const isParameter = (events: Events, event: string, parameter: string): boolean =>
  Object.hasOwn(events, event) && Object.hasOwn(events[event] ?? {}, parameter);

/** Describes the first filter by something that is not a parameter. */
export function parameterFault(filters: readonly AskedFilter[], events: Events): string | undefined {
  for (const { dimension, values } of filters) {
    for (const value of dimension === PARAMETER ? values : []) {
      const [event = '', parameter = ''] = readParameter(value) ?? [];
      if (!isParameter(events, event, parameter)) return `The event ${event} has no parameter ${parameter}.`;
    }
  }
  return undefined;
}
