// Work that several wait for: done once, ended when nobody waits, and nobody ends it for another.
import { sharedWork } from '../../extension/result-cache/shared-work';
import { promised } from './some-query';

/** Work that ends when the test says so, and notes what it was told. */
function work() {
  const { promise, resolve, reject } = promised<string>();
  const signals: AbortSignal[] = [];
  const begin = (signal: AbortSignal) => {
    signals.push(signal);
    return promise;
  };
  return { begin, resolve, reject, signals };
}

const client = () => new AbortController();

test('equal work that goes on is not begun again, other work is', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const other = work();
  const waiting = [
    shared.join('a', client().signal, one.begin),
    shared.join('a', client().signal, other.begin),
    shared.join('b', client().signal, other.begin),
  ];
  expect([one.signals.length, other.signals.length]).toEqual([1, 1]);
  one.resolve('one');
  other.resolve('other');
  expect(await Promise.all(waiting)).toEqual(['one', 'one', 'other']);
});

test('what has ended is begun anew', async () => {
  const shared = sharedWork<string>();
  const once = (text: string) => shared.join('a', client().signal, async () => text);
  expect([await once('first'), await once('second')]).toEqual(['first', 'second']);
});

test.each([
  ['who began it', 0],
  ['who came later', 1],
])('%s goes away: the other still gets the result', async (_who, place) => {
  const shared = sharedWork<string>();
  const one = work();
  const clients = [client(), client()];
  const waiting = clients.map(({ signal }) => shared.join('a', signal, one.begin));
  clients[place]?.abort(new Error('gone'));
  await expect(waiting[place]).rejects.toThrow('gone');
  expect(one.signals[0]?.aborted).toBe(false);
  one.resolve('done');
  expect(await waiting[1 - place]).toBe('done');
});

test('the last who waits ends the work, and waits for its end', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const clients = [client(), client()];
  const waiting = clients.map(({ signal }) => shared.join('a', signal, one.begin));
  let ended = false;
  const last = waiting[1]?.catch(() => {
    ended = true;
  });
  for (const it of clients) it.abort(new Error('gone'));
  await expect(waiting[0]).rejects.toThrow('gone');
  expect(one.signals[0]?.aborted).toBe(true);
  expect(one.signals[0]?.reason).toEqual(new Error('gone'));
  expect(ended).toBe(false);
  one.reject(new Error('cancelled'));
  await last;
  expect(ended).toBe(true);
});

test('nobody joins work that is being ended', async () => {
  const shared = sharedWork<string>();
  const ending = work();
  const gone = client();
  const left = shared.join('a', gone.signal, ending.begin);
  gone.abort(new Error('gone'));
  const next = shared.join('a', client().signal, async () => 'anew');
  ending.reject(new Error('cancelled'));
  await expect(left).rejects.toThrow('cancelled');
  expect(await next).toBe('anew');
  const again = work();
  const waiting = shared.join('a', client().signal, again.begin);
  expect(again.signals.length).toBe(1);
  again.resolve('third');
  expect(await waiting).toBe('third');
});

test('a failure is told to all who wait, and forgotten', async () => {
  const shared = sharedWork<string>();
  const one = work();
  const waiting = [1, 2].map(() => shared.join('a', client().signal, one.begin));
  one.reject(new Error('no database'));
  for (const each of waiting) await expect(each).rejects.toThrow('no database');
  expect(await shared.join('a', client().signal, async () => 'anew')).toBe('anew');
});

test('who is gone already begins nothing', async () => {
  const one = work();
  const joined = sharedWork<string>().join('a', AbortSignal.abort(new Error('gone')), one.begin);
  await expect(joined).rejects.toThrow('gone');
  expect(one.signals).toEqual([]);
});
