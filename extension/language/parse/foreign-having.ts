// HAVING from other languages. In QAL, it is the filter of a second view that reads the groups. The repair is certain if nothing else
// reads the first view.
import { isEnabled } from '../types/contract';
import { isJsonObject, type JsonObject, scalarText } from '../types/json';
import { certainly, type Repair, remove, write } from '../types/repair';
import type { Meant, WrongPlace } from './foreign-form';
import { looseSource, textIn } from './loose-source';

export const havingMeant = (place: WrongPlace): Meant => ({
  given: { hint: 'having' },
  repair: havingRepair(place),
});

function havingRepair({ query, path, value, contract }: WrongPlace): Repair | undefined {
  const { make, result } = query;
  const name = scalarText(path[1]);
  if (!isEnabled(contract, 'filter') || !isEnabled(contract, 'view_chaining')) return undefined;
  if (!isJsonObject(make) || !isJsonObject(result) || result.use !== name || !isJsonObject(value))
    return undefined;
  const view = make[name];
  const next = `${name}_having`;
  const isRead = Object.values(make).some((other) => isJsonObject(other) && reads(other).includes(name));
  if (!isJsonObject(view) || !isJsonObject(view.calc) || isRead || next in make) return undefined;
  const outputs =
    looseSource({ ...query, make: { ...make, [next]: { from: [name] } } }, ['make', next]).outputs ?? [];
  const { sort } = view;
  const filtered: JsonObject = {
    from: [name],
    filter: value,
    keep: outputs.map((column) => `${name}.${column}`),
    ...(sort === undefined ? {} : { sort }),
  };
  return certainly(
    write(['make', next], filtered),
    write(['result', 'use'], next),
    remove(path),
    ...(sort === undefined ? [] : [remove(['make', name, 'sort'])]),
  );
}

const reads = ({ from, join }: JsonObject): readonly (string | undefined)[] => [
  textIn(from),
  isJsonObject(join) ? textIn(join.with) : undefined,
];
