// The channel of a visit according to the rules as written in the manifest. Each rule is tried in turn, one text value at a time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

type Wanted = readonly (string | null)[];
interface Rules {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly rules: readonly ({ readonly channel: string } & Partial<Readonly<Record<Condition, Wanted>>>)[];
  readonly otherwise: string;
}
export interface SiteRules extends Partial<Pick<Rules, 'lists' | 'otherwise'>>, Pick<Rules, 'rules'> {
  readonly defaults?: boolean;
}
type Condition = 'source' | 'medium' | 'click_id';

const manifest = (name: string) => load(readFileSync(join(__dirname, '../../../../manifests', name), 'utf8'));

const SHIPPED = manifest('channels.yaml') as Rules;
const CLICK_IDS = Object.entries(Object(manifest('known-words.yaml')).click_ids);

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const folded = (text: string): string =>
  [...text].map((letter) => (CAPITALS.includes(letter) ? letter.toLowerCase() : letter)).join('');

function isMeant(wanted: string, text: string, condition: Condition, lists: Rules['lists']): boolean {
  if (wanted.startsWith('@')) {
    const name = wanted.slice(1);
    const texts = lists[name] ?? CLICK_IDS.flatMap(([clickId, list]) => (list === name ? [clickId] : []));
    return texts.some((one) => isMeant(one, text, condition, lists));
  }
  const [given, name] = [folded(text), folded(wanted)];
  if (name.startsWith('*') && name.endsWith('*')) return given.includes(name.slice(1, -1));
  if (name.startsWith('*')) return given.endsWith(name.slice(1));
  if (name.endsWith('*')) return given.startsWith(name.slice(0, -1));
  if (condition !== 'source') return given === name;
  const labels = given.split('.');
  return [0, 1, 2].some((levels) => levels < labels.length && labels.slice(levels).join('.') === name);
}

/** `own` contains the site's own rules, if there are any. */
export function channelOf(given: Readonly<Record<Condition, string | null>>, own?: SiteRules): string {
  const others = own?.defaults === false ? [] : SHIPPED.rules;
  const found = [...(own?.rules ?? []), ...others].find((rule) => {
    const lists = { ...SHIPPED.lists, ...(own?.rules.includes(rule) && own.lists) };
    return (['source', 'medium', 'click_id'] as const).every((condition) => {
      const [wanted, text] = [rule[condition], given[condition]];
      return (
        wanted === undefined ||
        wanted.some((one) =>
          one === null || text === null ? one === text : isMeant(one, text, condition, lists),
        )
      );
    });
  });
  return found?.channel ?? own?.otherwise ?? SHIPPED.otherwise;
}
