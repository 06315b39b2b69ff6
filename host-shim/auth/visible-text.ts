// Invisible characters could make two names look alike, or reverse the text next to them. They are allowed only where a script
// needs them: joiners in Arabic and Indic words and in emoji, and variation selectors.

/** Controls, direction marks, line breaks, lone surrogates, blank letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Scripts whose letters change shape when joined. */
const JOINING =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}';

const NEEDED = new RegExp(
  [
    // A joiner or non-joiner between two letters of such a script.
    `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
    // The joiner in an emoji sequence.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    // A variation selector after an emoji, a keycap or an ideograph.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
);

const SEEN = /[\p{L}\p{N}\p{P}\p{S}\p{Cn}\p{Co}]/u;

export const hasInvisible = (text: string): boolean => UNSEEN.test(text.replace(NEEDED, ''));

export const hasVisible = (text: string): boolean => SEEN.test(text.replace(NEEDED, ''));
