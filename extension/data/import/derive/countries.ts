// Countries by ISO 3166-1 alpha-2 code and by name.
import { KNOWN_WORDS } from '../../../../manifests/reader/known-words';

const COUNTRIES: ReadonlySet<string> = new Set(KNOWN_WORDS.countries);

export const isCountry = (code: string): boolean => COUNTRIES.has(code);

/** Returns the code in upper case. If it is not a country, throws a RangeError that suggests the right code if it is known. */
export function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (COUNTRIES.has(code)) return code;
  if (!/^[A-Z]{2}$/.test(code))
    throw new RangeError('must be a two-letter country code (ISO 3166-1), such as JP');
  const meant = KNOWN_WORDS.country_codes[code];
  throw new RangeError(
    `is not a country in ISO 3166-1; ${meant === undefined ? 'leave it empty if the country is unknown' : `write ${meant}`}`,
  );
}

let byName: ReadonlyMap<string, string> | undefined;

/** The code for an English name, as in Google's reports; undefined if there is none. */
export function countryOfName(name: string): string | undefined {
  byName ??= namesOfCountries();
  return byName.get(plain(name));
}

function namesOfCountries(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const found = [...COUNTRIES].flatMap((code) => {
    const name = names.of(code);
    return name === undefined ? [] : [[plain(name), code] as const];
  });
  return new Map([...found, ...Object.entries(KNOWN_WORDS.country_names)]);
}

/** Normalizes a name: removes accents, a final "SAR China" and a part in parentheses; "&" becomes "and"; lower case, plain apostrophes. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ (?:SAR China|\(.*\))$/, '')
    .replace(/[’']/g, "'")
    .replace(/ & /g, ' and ')
    .toLowerCase()
    .trim();
