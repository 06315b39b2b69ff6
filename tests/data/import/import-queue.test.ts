// The order in which a server runs imports.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportReport } from '../../../extension/data/import/import-options';
import { createImportQueue, QueueFull } from '../../../extension/data/import/import-queue';

const REPORT: ImportReport = {
  read: 0,
  added: 0,
  updated: 0,
  kept: 0,
  unchanged: 0,
  skipped: {},
  rejected: 0,
  waiting: 0,
  importId: 1,
  format: 'ndjson',
  seconds: 0,
};
const never = new AbortController().signal;
const received = async () => {};

/** Waits for a few turns of the event loop, because an import checks between two turns whether its client is still connected. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** A queue, and a way to add imports that end only when the test ends them. */
function imports(limits = { running: 2, admitted: 8 }) {
  const queue = createImportQueue(limits);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    queue,
    begun,
    add: (site: string, name: string, signal: AbortSignal = never) =>
      queue.run(site, signal, received, () => {
        begun.push(name);
        return new Promise((resolve) => ends.set(name, () => resolve(REPORT)));
      }),
    end: (name: string) => ends.get(name)?.(),
  };
}

// conformance: beyond.imports-over-http
test('imports into one site run in order of arrival', async () => {
  const { add, begun, end } = imports();
  const all = ['first', 'second', 'third'].map((name) => add('shop', name));
  await turns();
  expect(begun).toEqual(['first']);
  end('first');
  await all[0];
  await turns();
  expect(begun).toEqual(['first', 'second']);
  end('second');
  await all[1];
  await turns();
  end('third');
  await Promise.all(all);
  expect(begun).toEqual(['first', 'second', 'third']);
});

test('imports into two sites run concurrently, and an import into a third site waits', async () => {
  const { add, begun, end } = imports();
  const first = add('shop', 'shop 1');
  void add('shop', 'shop 2');
  void add('blog', 'blog 1');
  void add('wiki', 'wiki 1');
  await turns();
  expect(begun).toEqual(['shop 1', 'blog 1']);
  end('shop 1');
  await first;
  await turns();
  expect(begun).toEqual(['shop 1', 'blog 1', 'shop 2']);
});

// conformance: beyond.imports-over-http
test('uploads beyond the waiting limit are rejected, but those already waiting are not', async () => {
  const { add, begun, end } = imports({ running: 1, admitted: 2 });
  const first = add('shop', 'first');
  const second = add('shop', 'second');
  await turns();
  await expect(add('shop', 'third')).rejects.toBeInstanceOf(QueueFull);
  end('first');
  await first;
  await turns();
  end('second');
  await expect(second).resolves.toBe(REPORT);
  expect(begun).toEqual(['first', 'second']);
});

test('uploads that are being received do not take a slot, but count toward the limit', async () => {
  const { queue, add, begun, end } = imports({ running: 1, admitted: 3 });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const slow = ['shop', 'blog'].map((site) =>
    queue.run(
      site,
      never,
      () => arrived,
      async () => REPORT,
    ),
  );
  const quick = add('shop', 'quick');
  await turns();
  expect(begun).toEqual(['quick']);
  await expect(add('wiki', 'late')).rejects.toBeInstanceOf(QueueFull);
  end('quick');
  await quick;
  arrive();
  await expect(Promise.all(slow)).resolves.toEqual([REPORT, REPORT]);
});

test('an upload that fails while it is being received makes room for another one', async () => {
  const { queue, add, end } = imports({ running: 1, admitted: 1 });
  const broken = queue.run(
    'shop',
    never,
    () => Promise.reject(new Error('gone')),
    async () => REPORT,
  );
  await expect(broken).rejects.toThrow('gone');
  const next = add('shop', 'next');
  await turns();
  end('next');
  await expect(next).resolves.toBe(REPORT);
});

test('if a client disconnects while waiting, the next import takes its turn', async () => {
  const { add, begun, end, queue } = imports();
  const first = add('shop', 'first');
  const client = new AbortController();
  const second = add('shop', 'second', client.signal);
  const third = add('shop', 'third');
  await turns();
  client.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  await expect(add('shop', 'late', client.signal)).rejects.toThrow('gone');
  await turns();
  end('first');
  await first;
  await turns();
  end('third');
  await third;
  await queue.settle();
  expect(begun).toEqual(['first', 'third']);
});

// attack: import-whose-client-disconnected
test('an import never starts if its client disconnected while the previous one blocked the event loop', async () => {
  const { add, begun, end } = imports();
  const first = add('shop', 'first');
  await turns();
  const client = new AbortController();
  const second = add('shop', 'second', client.signal);
  end('first');
  await first;
  // Like a closed connection, the abort is noticed only when the sockets are polled.
  setImmediate(() => client.abort(new Error('gone')));
  await expect(second).rejects.toThrow('gone');
  expect(begun).toEqual(['first']);
});

test('a failed import makes room for the next one', async () => {
  const { queue, add, begun, end } = imports();
  await expect(queue.run('shop', never, received, () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
  const next = add('shop', 'next');
  await turns();
  end('next');
  await next;
  expect(begun).toEqual(['next']);
});
