// A server sheds load while requests wait too long for authentication. Callers with few waiting requests are still accepted.
import { spreadRetry } from '../../host-shim/extension-api';
import { createLoadShedding } from '../../host-shim/server/load-shedding';

function start() {
  let time = 0;
  const admit = createLoadShedding(() => time);
  return {
    admit,
    /** Returns, for each accepted request, a function that ends its wait. */
    admitMany: (count: number, caller: string) =>
      Array.from({ length: count }, () => admit(caller)).flatMap((leave) => leave ?? []),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('while no request has waited for more than 100 ms, any number of requests is accepted', () => {
  const { admitMany, pass } = start();
  expect(admitMany(1_000, 'ann')).toHaveLength(1_000);
  pass(100);
  expect(admitMany(1_000, 'ann')).toHaveLength(1_000);
});

test('when one has, a request is rejected if 32 others are waiting, until the old ones are authenticated', () => {
  const { admit, admitMany, pass } = start();
  const old = admitMany(32, 'ann');
  pass(101);
  expect(admit('ann')).toBeUndefined();
  old[0]?.();
  expect(admitMany(2, 'ann')).toHaveLength(1);
  for (const leave of old.slice(1)) leave();
  expect(admitMany(1_000, 'ann')).toHaveLength(1_000);
});

test('callers share the 32 equally, so the one with the most requests is rejected first', () => {
  const { admitMany, pass } = start();
  const crowd = admitMany(1_000, 'ann');
  pass(101);
  expect(admitMany(1_000, 'ben')).toHaveLength(16);
  expect(admitMany(1_000, 'cid')).toHaveLength(10);
  expect(admitMany(1, 'ann')).toHaveLength(0);
  for (const leave of crowd) leave();
  pass(101);
  // A caller without waiting requests no longer has a share.
  expect(admitMany(1_000, 'dan')).toHaveLength(10);
});

test('up to 32 requests may wait for any length of time, even if most of them are from one of many callers', () => {
  const { admitMany, pass } = start();
  for (let caller = 0; caller < 16; caller += 1) admitMany(1, String(caller));
  pass(101);
  const page = admitMany(20, 'ann');
  expect(page).toHaveLength(16);
  page[0]?.();
  expect(admitMany(20, 'ann')).toHaveLength(1);
});

test('with more than 32 callers, further ones are rejected too', () => {
  const { admitMany, pass } = start();
  for (let caller = 0; caller < 31; caller += 1) admitMany(1, String(caller));
  pass(101);
  expect(admitMany(2, 'ann')).toHaveLength(1);
  expect(admitMany(1, 'ben')).toHaveLength(0);
});

test('rejected clients are asked to retry after a random number of whole seconds from 5 to 14', () => {
  expect([0, 0.19, 0.5, 0.999].map((number) => spreadRetry(() => number))).toEqual([5, 6, 10, 14]);
});
