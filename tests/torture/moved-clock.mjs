// Loaded into every program of an installation. The program's clock is ahead by the number of milliseconds in a file, and
// pauses of a minute or longer end according to that clock. The name of the file is in this module's URL.
import { readFileSync } from 'node:fs';
import timers from 'node:timers/promises';

const LOOK_MS = 20;
const LONG_MS = 60_000;

const file = new URL(import.meta.url).searchParams.get('file');
const RealDate = Date;
const realNow = Date.now;
const realPause = timers.setTimeout;
let ahead = 0;
const look = () => {
  ahead = Number(readFileSync(file, 'utf8'));
};
look();
setInterval(look, LOOK_MS).unref();

RealDate.now = () => realNow() + ahead;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now()] : args, newTarget),
  apply: () => new RealDate(RealDate.now()).toString(),
});

timers.setTimeout = async (delay, value, options) => {
  if (!(delay >= LONG_MS)) return realPause(delay, value, options);
  for (const due = RealDate.now() + delay; RealDate.now() < due; )
    await realPause(LOOK_MS, undefined, options);
  return value;
};
