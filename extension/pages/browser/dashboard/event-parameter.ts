import { parsedJson } from '../shared/rest';

/** The dimension whose values are JSON text: `["play", "video", "intro"]`. */
export const PARAMETER = 'parameter';

/** `play: video = intro` */
export function parameterInWords(json: string): string {
  const value = parsedJson(json);
  if (!Array.isArray(value)) return json;
  const [event, parameter, of] = value;
  return `${event}: ${parameter} = ${of ?? 'not sent'}`;
}
