// All trials, in the order in which they run.
import type { Trial } from './trial';
import { answers } from './trials/answers';
import { badInput } from './trials/bad-input/bad-input';
import { commandsAtOnce } from './trials/commands-at-once';
import { copy } from './trials/copy';
import { days } from './trials/days/days';
import { forecast } from './trials/forecast';
import { fullDisk } from './trials/full-disk';
import { history } from './trials/history/history';
import { kill } from './trials/kill/kill';
import { loop } from './trials/loop/loop';
import { major } from './trials/major';
import { outage } from './trials/outage/outage';
import { overloaded } from './trials/overload';
import { places } from './trials/places';
import { failover } from './trials/servers/failover';
import { servers } from './trials/servers/servers';

export const TRIALS: readonly Trial[] = [
  commandsAtOnce,
  kill,
  outage,
  places,
  major,
  badInput,
  servers,
  failover,
  history,
  copy,
  overloaded,
  answers,
  loop,
  days,
  forecast,
  fullDisk,
];
