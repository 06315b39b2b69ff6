// A value of the filter by event parameters is JSON text: ["play", "video", "intro"].
import { z } from 'zod';

const parameterSchema = z.tuple([
  z.string().regex(/^\w+$/),
  z.string().regex(/^\w+$/),
  z.union([z.string(), z.number(), z.null()]),
]);

type EventParameter = z.output<typeof parameterSchema>;

/** undefined if it is not such a value. */
export function readParameter(text: string | null): EventParameter | undefined {
  if (text === null) return undefined;
  try {
    return parameterSchema.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
