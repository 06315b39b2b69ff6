// The longest parameters that the guide and the MCP tools accept cause little work, and do not lead to longer responses.
import { z } from 'zod';
import { useWorkCounter } from '../support/count-work';
import type { TestHost } from '../support/test-host';
import { GUIDE, startContractHost } from './contracts/contract-host';

const MCP = '/wp-json/qa-platform/mcp';
/** A request's headers, including the URL, are limited to 16 KiB. */
const LONGEST = 15_000;
/** A step takes about 10 ns. A guide takes 0.3 million steps. */
const MAX_STEPS = 2_000_000;
const MAX_ERROR_LENGTH = 4_000;

let host: TestHost;
const work = useWorkCounter();
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

/** Measures the work done in this process, which is also the server's process. */
async function counted<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; steps: number }> {
  await work();
  const answer = await ask();
  return { answer, steps: await work() };
}

const guide = (search: string) =>
  host.request('GET', `${GUIDE}?version=latest&${search}`, { user: host.credentials('ann') });

const namesOf = (prefix: string) => {
  const names: string[] = [];
  for (let length = 0; length < LONGEST; length += (names.at(-1)?.length ?? 0) + 1)
    names.push(`${prefix}${names.length + 1}`);
  return names.join();
};
const repeated = (name: string) =>
  Array(Math.floor(LONGEST / (name.length + 1)))
    .fill(name)
    .join();

test.each([
  ['material', 'the same name many times', repeated('allpv'), 'allpv'],
  ['material', 'many goals', namesOf('goal_'), 'goal_1'],
  ['material', 'many events', namesOf('events.'), 'events.1'],
  ['parts', 'the same name many times', repeated('sites'), 'sites'],
])('%s with %s gets the same response as with a single name', async (parameter, _title, many, one) => {
  // The first guide that a process builds takes extra work.
  const alone = await guide(`${parameter}=${one}`);
  const { answer, steps } = await counted(() => guide(`${parameter}=${many}`));
  expect(alone.status).toBe(200);
  expect(answer.status).toBe(200);
  expect({ ...answer.body, timestamp: '' }).toEqual({ ...alone.body, timestamp: '' });
  expect(steps).toBeLessThan(MAX_STEPS);
});

test.each([
  ['material', 'many unknown names', namesOf('al'), 'E_UNKNOWN_MATERIAL'],
  ['material', 'a long name', 'x'.repeat(LONGEST), 'E_UNKNOWN_MATERIAL'],
  ['material', 'commas', ','.repeat(LONGEST), 'E_UNKNOWN_MATERIAL'],
  ['parts', 'many unknown names', namesOf('site'), 'E_INVALID_PARAMETER'],
  ['parts', 'a long name', 'x'.repeat(LONGEST), 'E_INVALID_PARAMETER'],
])('%s with %s is rejected with a short error', async (parameter, _title, value, code) => {
  const { answer, steps } = await counted(() => guide(`${parameter}=${value}`));
  expect(answer).toMatchObject({ status: 400, body: { error: { code } } });
  expect(JSON.stringify(answer.body).length).toBeLessThan(MAX_ERROR_LENGTH);
  expect(steps).toBeLessThan(MAX_STEPS);
});

test.each(['parts', 'material', 'version'])(
  'the %s parameter is rejected with 431 if it is too long for a URL',
  async (name) => {
    expect(await guide(`${name}=${'x'.repeat(20_000)}`)).toMatchObject({ status: 431 });
  },
);

const result = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    content: z.array(z.object({ text: z.string() })).length(1),
  }),
});

async function call(name: string, args: object) {
  const { answer, steps } = await counted(() =>
    host.request('POST', MCP, {
      user: host.credentials('ann'),
      headers: { Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    }),
  );
  expect(steps).toBeLessThan(MAX_STEPS);
  const {
    result: { isError = false, content },
  } = result.parse(answer.body);
  return { isError, text: content[0]?.text ?? '' };
}

/** Almost the maximum length of a body. */
const LONG_TEXT = 'x'.repeat(250_000);

test.each<[string, string, object]>([
  ['a very long list of parts', 'qa_get_guide', { parts: Array(60_000).fill('a') }],
  ['a valid part repeated many times', 'qa_get_guide', { parts: Array(30_000).fill('sites') }],
  ['a long part', 'qa_get_guide', { parts: [LONG_TEXT] }],
  ['a long dataset', 'qa_describe_dataset', { dataset: LONG_TEXT }],
  ['a long site', 'qa_describe_dataset', { dataset: 'allpv', tracking_id: LONG_TEXT }],
])('%s over MCP is rejected with a short error', async (_title, name, args) => {
  const { isError, text } = await call(name, args);
  expect(isError).toBe(true);
  expect(text.length).toBeLessThan(MAX_ERROR_LENGTH);
});
