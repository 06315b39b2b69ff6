import { numberWords } from '../../shared-types/number-words';

export const { withUnit, onAxis, share, changeOf } = numberWords();

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' });
const AGES = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Such as `3 hours ago`, in whole units. */
export function agoInWords(age: number): string {
  const [unit, length] = AGES.find((one) => age >= one[1]) ?? (['second', 1] as const);
  return relative.format(-Math.floor(age / length), unit);
}

const DEVICES: Readonly<Record<string, string>> = { PC: 'Computer', SP: 'Smartphone', tablet: 'Tablet' };

function displayName(type: 'region' | 'language', code: string): string {
  try {
    return new Intl.DisplayNames([], { type, fallback: 'code' }).of(code) ?? code;
  } catch {
    // Browsers may send any string as a code.
    return code;
  }
}

/** The localized name of a country, a language or a device; other names are returned unchanged. */
export function localizedName(dimension: string | null, name: string): string {
  if (dimension === 'device') return DEVICES[name] ?? name;
  if (dimension === 'country' && /^[A-Z]{2}$/.test(name)) return displayName('region', name);
  return dimension === 'language' ? displayName('language', name) : name;
}

/** Whether a dimension's displayed names differ from its values. */
export const isLocalized = (dimension: string | null): boolean =>
  dimension === 'device' || dimension === 'country' || dimension === 'language';

/** The path, query and hash of a URL; anything else is returned unchanged. */
export function pathOf(url: string): string {
  try {
    const { pathname, search, hash } = new URL(url);
    return decodeURI(pathname + search + hash);
  } catch {
    return url;
  }
}
