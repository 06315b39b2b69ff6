// Segments and notes after a visitor is erased.
import { z } from 'zod';
import { isJsonList, isJsonObject, type JsonValue, parsedJson } from '../../language/types/json';
import type { Mentions } from './mentions';

/** Replaces a name in notes, and a value in saved segments, which must not match additional rows. */
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

/** Replaces a value that is compared with a number: text would have the wrong type. */
const ERASED_NUMBER = Number.MIN_SAFE_INTEGER;

/** A value is JSON with an event, its parameter, and the parameter's value. */
function parameterWithout(mentions: Mentions, text: string): string {
  const parsed = parsedJson(text);
  const [event = '', parameter = '', value = null] = isJsonList(parsed) ? parsed : [];
  return mentions.inRow({ [String(parameter)]: value })
    ? JSON.stringify([event, parameter, typeof value === 'number' ? ERASED_NUMBER : ERASED_VALUE])
    : text;
}

export const noteWithout = (mentions: Mentions, text: string): string => mentions.without(text, ERASED_VALUE);
