// Removes an erased visitor from segments and notes.
import { z } from 'zod';
import { isJsonList, isJsonObject, type JsonValue, parsedJson } from '../../language/types/json';
import type { Mentions } from './mentions';

/** Replaces a name in notes, and a value in segments, since a segment could match more rows if its value were removed. */
const ERASED_VALUE = 'erased visitor';

const parameterFilter = z.looseObject({ dimension: z.literal('parameter'), values: z.array(z.string()) });

/** Of a segment's filters, only those on event parameters can name a visitor. */
export function filtersWithout(mentions: Mentions, filters: JsonValue | undefined): string {
  const all = isJsonList(filters) ? filters : [];
  return JSON.stringify(
    all.map((filter) => {
      const { data } = parameterFilter.safeParse(filter);
      if (data === undefined || !isJsonObject(filter)) return filter;
      return { ...filter, values: data.values.map((value) => parameterWithout(mentions, value)) };
    }),
  );
}

/** Replaces a numeric value, since text would have the wrong type. */
const ERASED_NUMBER = Number.MIN_SAFE_INTEGER;

/** A filter's value is a JSON list of an event, a parameter, and the parameter's value. */
function parameterWithout(mentions: Mentions, text: string): string {
  const parsed = parsedJson(text);
  const [event = '', parameter = '', value = null] = isJsonList(parsed) ? parsed : [];
  return mentions.inRow({ [String(parameter)]: value })
    ? JSON.stringify([event, parameter, typeof value === 'number' ? ERASED_NUMBER : ERASED_VALUE])
    : text;
}

export const noteWithout = (mentions: Mentions, text: string): string => mentions.without(text, ERASED_VALUE);
