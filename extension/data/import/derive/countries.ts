// Countries by ISO 3166-1 alpha-2, and XK, which is commonly used for Kosovo.
const CODES = `AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN
GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR
LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG
PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL
TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`;
const COUNTRIES: ReadonlySet<string> = new Set(CODES.split(/\s+/));

/** Common other spellings. */
const MEANT: Readonly<Record<string, string>> = {
  UK: 'GB',
  EL: 'GR',
  EN: 'GB',
  JA: 'JP',
  SU: 'RU',
  TP: 'TL',
  YU: 'RS',
  ZR: 'CD',
  BU: 'MM',
  AN: 'CW',
};

export const isCountry = (code: string): boolean => COUNTRIES.has(code);

/** The code in upper case. Throws a RangeError that suggests a similar code. */
export function countryCode(text: string): string {
  const code = text.toUpperCase();
  if (COUNTRIES.has(code)) return code;
  if (!/^[A-Z]{2}$/.test(code))
    throw new RangeError('must be a country of ISO 3166-1 in two letters, such as JP');
  const meant = MEANT[code];
  throw new RangeError(
    `is no country of ISO 3166-1; ${meant === undefined ? 'leave it empty if the country is not known' : `write ${meant}`}`,
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
  return new Map([...found, ...OTHER_NAMES]);
}

const OTHER_NAMES = [
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['macedonia', 'MK'],
  ['swaziland', 'SZ'],
  ['cape verde', 'CV'],
  ['myanmar', 'MM'],
] as const;

/** Without accents, punctuation and anything in parentheses. */
const plain = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ (?:SAR China|\(.*\))$/, '')
    .replace(/[’']/g, "'")
    .replace(/ & /g, ' and ')
    .toLowerCase()
    .trim();
