// The values of event-parameter filters: JSON such as ["play", "video", "intro"].
import { z } from 'zod';
import { parsedJson } from '../../language/types/json';
import { type DashboardHead, PARAMETER, type RequestedFilter } from '../shared-types/dashboard-types';

const parameterSchema = z.tuple([
  z.string().regex(/^\w+$/),
  z.string().regex(/^\w+$/),
  z.union([z.string(), z.number(), z.null()]),
]);

type EventParameter = z.output<typeof parameterSchema>;

/** undefined if the text is not an event parameter. */
export function readParameter(text: string | null): EventParameter | undefined {
  return text === null ? undefined : parameterSchema.safeParse(parsedJson(text)).data;
}

type Events = DashboardHead['events'];

/** Whether the event has the parameter. The other columns of events, which identify visits, are not parameters. */
export const isParameter = (events: Events, event: string, parameter: string): boolean =>
  Object.hasOwn(events, event) && Object.hasOwn(events[event] ?? {}, parameter);

/** Describes the first filter value that names an unknown parameter. */
export function parameterFault(filters: readonly RequestedFilter[], events: Events): string | undefined {
  for (const { dimension, values } of filters) {
    for (const value of dimension === PARAMETER ? values : []) {
      const [event = '', parameter = ''] = readParameter(value) ?? [];
      if (!isParameter(events, event, parameter)) return `The event ${event} has no parameter ${parameter}.`;
    }
  }
  return undefined;
}
