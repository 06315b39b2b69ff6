// Which text may stand for a person, a key or a program in a list: one line that looks like what it is.
// What cannot be seen could make two names look alike or turn the text beside it around, so it is refused, except where a
// script needs it: joiners within Arabic and Indic words and emoji, and the marks that choose the form of a character.

/** Characters without a shape of their own: controls, marks of direction, breaks, halves of characters, blank letters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Scripts whose letters change their shape by what joins them. */
const JOINING =
  '\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}' +
  '\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}';

const NEEDED = new RegExp(
  [
    // A joiner or non-joiner between two letters of such a script.
    `(?<=[${JOINING}])[\\u200c\\u200d](?=[${JOINING}])`,
    // The joiner that makes one picture of several.
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
    // A variant of the picture, the key cap or the ideograph before it.
    '(?<=\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]',
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    '(?<=\\p{Script=Han})[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  ].join('|'),
  'gu',
);

const SEEN = /[\p{L}\p{N}\p{P}\p{S}\p{Cn}\p{Co}]/u;

/** Whether the text holds something that nobody could see, or that would not stay on its line. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text.replace(NEEDED, ''));

/** Whether there is anything to see in the text. */
export const isSeen = (text: string): boolean => SEEN.test(text.replace(NEEDED, ''));
