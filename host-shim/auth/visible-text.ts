// Which text may be the name of a person, a key or a program: invisible characters could make two names look alike, or
// turn the text beside them around. They are allowed where a script needs them: joiners within Arabic and Indic words and
// emoji, and variation selectors.

/** Controls, direction marks, line breaks, half characters, blank letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Scripts whose letters change shape when they are joined. */
const JOINING =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}';

const NEEDED = new RegExp(
  [
    // A joiner or non-joiner between two letters of such a script.
    `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
    // The joiner that makes one emoji of several.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    // A variation selector after an emoji, a keycap or an ideograph.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
);

const SEEN = /[\p{L}\p{N}\p{P}\p{S}\p{Cn}\p{Co}]/u;

/** Whether the text has invisible characters or line breaks. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text.replace(NEEDED, ''));

/** Whether the text has a visible character. */
export const isSeen = (text: string): boolean => SEEN.test(text.replace(NEEDED, ''));
