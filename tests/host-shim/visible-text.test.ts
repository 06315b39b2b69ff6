// Names are accepted as people write them, but without invisible characters.
import { checkFields } from '../../host-shim/accounts/account-fields';

const faultOf = (name: string) => checkFields({ name }).faults.name;

test.each([
  'Ann',
  "Jos\u00e9 O'Brien-M\u00fcller",
  'Jose\u0301',
  '山田\u3000太郎',
  '葛\u{e0100}城',
  'नमस्ते',
  'क्\u200dष',
  'می\u200cخواهم',
  'ශ්\u200dරී',
  'مُحَمَّد',
  '👩\u200d💻 laptop',
  '❤\ufe0f\u200d🔥',
  '👩🏽\u200d🚀',
  '1\ufe0f\u20e3',
  'no-break\u00a0space',
  '¿?',
])('%j is a valid name', (name) => {
  expect(faultOf(name)).toBeUndefined();
});

test.each([
  ['a control character', 'a\u0007b'],
  ['a line break', 'a\nb'],
  ['a C1 control', 'a\u0085b'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a zero-width space', 'a\u200bb'],
  ['a soft hyphen', 'a\u00adb'],
  ['a word joiner', 'a\u2060b'],
  ['a byte order mark', 'a\ufeffb'],
  ['a left-to-right mark', 'a\u200eb'],
  ['a right-to-left mark', 'a\u200fb'],
  ['an Arabic letter mark', 'a\u061cb'],
  ['a directional override', 'a\u202eb'],
  ['an isolate', 'a\u2066b'],
  ['a Hangul filler', 'a\u3164b'],
  ['a Hangul choseong filler', 'a\u115fb'],
  ['a Hangul jungseong filler', 'a\u1160b'],
  ['a halfwidth filler', 'a\uffa0b'],
  ['a blank Braille pattern', 'a\u2800b'],
  ['a grapheme joiner', 'a\u034fb'],
  ['a joiner between Latin letters', 'a\u200db'],
  ['a non-joiner between Latin letters', 'a\u200cb'],
  ['a joiner at the end', 'क\u200d'],
  ['a joiner after an emoji, followed by a letter', '👩\u200da'],
  ['a variation selector after a Latin letter', 'a\ufe0fb'],
  ['a tag character', 'a\u{e0061}b'],
  ['a lone high surrogate', 'a\ud800b'],
  ['a lone low surrogate', '\udc00'],
])('%s is rejected', (_what, name) => {
  expect(faultOf(name)).toMatch(
    /^The name of an application password must be a single line without invisible characters/,
  );
  expect(Object.keys(checkFields({ displayName: name }).faults)).toEqual(['displayName']);
});

test.each(['\u0301', '\u0301 \u0308'])('a name without visible characters is rejected: %j', (name) => {
  expect(faultOf(name)).toBe('The name of an application password must have at least one visible character.');
});

test('an empty display name is replaced with the login, and an empty name of an application password is rejected', () => {
  expect(checkFields({ displayName: ' ' })).toEqual({ values: { displayName: '' }, faults: {} });
  expect(faultOf(' \u3000')).toBe('An application password needs a name.');
});
