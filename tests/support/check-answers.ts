// Makes a test fail if a response does not match the `output` of its route.
import { isDeepStrictEqual } from 'node:util';
import {
  type CheckedRequest,
  type HostRequest,
  type HostResponse,
  jsonPieces,
  type RouteDefinition,
  type RouteOutput,
} from '../../host-shim/extension-api';
import type { Registry } from '../../host-shim/rest/registry';

/** Replaces the JsonLists in a value with arrays. */
export async function wholeJson(value: unknown): Promise<unknown> {
  const texts: Uint8Array[] = [];
  for await (const text of jsonPieces(value)) texts.push(text);
  return JSON.parse(Buffer.concat(texts).toString());
}

/**
 * Throws if a status below 400 is not declared, or if the body has undeclared or invalid fields. Streamed responses have no
 * schema.
 */
async function checkAnswer<Answer extends HostResponse>(
  answer: Answer,
  output: RouteOutput,
): Promise<Answer> {
  if (answer.pieces !== undefined) return answer;
  if (answer.status >= 400 && output[answer.status] === undefined) return answer;
  const schema = output[answer.status];
  if (schema === undefined) throw new Error(`The route does not declare the status ${answer.status}.`);
  const sent: unknown =
    answer.hasLists === true ? await wholeJson(answer.body) : JSON.parse(JSON.stringify(answer.body));
  if (!isDeepStrictEqual(schema.parse(sent), sent))
    throw new Error(`The response has fields that its route does not declare: ${JSON.stringify(sent)}`);
  return answer;
}

function withCheck(route: RouteDefinition): RouteDefinition {
  const { output } = route;
  if (output === undefined) return route;
  return route.checkedBy === 'host'
    ? {
        ...route,
        handle: async (request: CheckedRequest) => checkAnswer(await route.handle(request), output),
      }
    : { ...route, handle: async (request: HostRequest) => checkAnswer(await route.handle(request), output) };
}

/** Wraps the registry so that the responses of every route with an output schema are checked. */
export const checkAnswers = (registry: Registry): Registry => ({
  ...registry,
  find(address) {
    const { definitions, params } = registry.find(address);
    return { definitions: definitions.map(withCheck), params };
  },
});
