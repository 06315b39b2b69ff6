// The channel of a visit according to the rules as written in the manifest. Each rule is tried in turn, one text value at a time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

type Patterns = readonly (string | null)[];
interface Rules {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly rules: readonly ({ readonly channel: string } & Partial<Readonly<Record<Condition, Patterns>>>)[];
  readonly otherwise: string;
}
export interface SiteRules extends Partial<Pick<Rules, 'lists' | 'otherwise'>>, Pick<Rules, 'rules'> {
  readonly defaults?: boolean;
}
type Condition = 'source' | 'medium' | 'click_id';

const manifest = (name: string) => load(readFileSync(join(__dirname, '../../../../manifests', name), 'utf8'));

const DEFAULTS = manifest('channels.yaml') as Rules;
const CLICK_IDS = Object.entries(Object(manifest('known-words.yaml')).click_ids);

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const folded = (text: string): string =>
  [...text].map((letter) => (CAPITALS.includes(letter) ? letter.toLowerCase() : letter)).join('');

function matches(pattern: string, text: string, condition: Condition, lists: Rules['lists']): boolean {
  if (pattern.startsWith('@')) {
    const name = pattern.slice(1);
    const texts = lists[name] ?? CLICK_IDS.flatMap(([clickId, list]) => (list === name ? [clickId] : []));
    return texts.some((one) => matches(one, text, condition, lists));
  }
  const [given, name] = [folded(text), folded(pattern)];
  if (name.startsWith('*') && name.endsWith('*')) return given.includes(name.slice(1, -1));
  if (name.startsWith('*')) return given.endsWith(name.slice(1));
  if (name.endsWith('*')) return given.startsWith(name.slice(0, -1));
  if (condition !== 'source') return given === name;
  const labels = given.split('.');
  return [0, 1, 2].some((levels) => levels < labels.length && labels.slice(levels).join('.') === name);
}

/** `siteRules` contains the site's own rules, if it has any. */
export function channelOf(given: Readonly<Record<Condition, string | null>>, siteRules?: SiteRules): string {
  const others = siteRules?.defaults === false ? [] : DEFAULTS.rules;
  const found = [...(siteRules?.rules ?? []), ...others].find((rule) => {
    const lists = { ...DEFAULTS.lists, ...(siteRules?.rules.includes(rule) && siteRules.lists) };
    return (['source', 'medium', 'click_id'] as const).every((condition) => {
      const [patterns, text] = [rule[condition], given[condition]];
      return (
        patterns === undefined ||
        patterns.some((one) =>
          one === null || text === null ? one === text : matches(one, text, condition, lists),
        )
      );
    });
  });
  return found?.channel ?? siteRules?.otherwise ?? DEFAULTS.otherwise;
}
