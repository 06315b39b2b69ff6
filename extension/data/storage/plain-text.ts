// Checks that the database can store a string and that users can see it.
import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

/** Returns the reason why the database cannot store a string, if it cannot. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000, which the database cannot store';
  return text.isWellFormed() ? undefined : 'contains a lone surrogate; encode the text as UTF-8';
}

const MAX_DEPTH = 8;
/**
 * Invisible characters, which could make different names look the same: control and format characters, separators, blank letters.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164]/u;
/** Zero-width joiners between visible characters, which some scripts and emoji use. */
const JOINED = /(?<=[\p{L}\p{M}\p{N}\p{P}\p{S}])[\u200c\u200d](?=[\p{L}\p{M}\p{N}\p{P}\p{S}])/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A zod refinement: `faultOf` returns the reason why a value is invalid, if it is. */
export const refusing =
  <T>(faultOf: (value: T) => string | undefined) =>
  (value: T, context: z.RefinementCtx): void => {
    const message = faultOf(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };

export const plainText = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .superRefine(refusing((text) => textFaultWithin(text, maxLength)));

export const nameText = (maxLength: number) => plainText(maxLength).superRefine(refusing(hiddenFault));

/** Returns the reason why a name is not fully visible, if it is not. */
export function hiddenFault(text: string): string | undefined {
  const [hidden] = HIDDEN.exec(text.replace(JOINED, '')) ?? [];
  if (hidden !== undefined) return `contains the invisible character ${codeOf(hidden)}; remove it`;
  // Empty text is reported separately.
  return text === '' || VISIBLE.test(text) ? undefined : 'must contain a visible character';
}

const MAX_HOST_LENGTH = 253;
/** Letters in any script; browsers would drop or replace other characters. */
const HOST_LABELS = /^(?!-)[\p{L}\p{M}\p{N}_-]{1,63}(?<!-)(?:\.(?!-)[\p{L}\p{M}\p{N}_-]{1,63}(?<!-))*$/u;

/** A host name such as `shop.example` or `münchen.example`. */
export const hostName = plainText(MAX_HOST_LENGTH).refine(
  (text) => text === '' || (HOST_LABELS.test(text) && !HIDDEN.test(text) && domainToASCII(text) !== ''),
  'must be a host name such as shop.example, without https:// and without a path',
);

const NOT_ASCII = /[^ -~]/;

/** A host as browsers send it and as it is stored in URLs: lower case, non-ASCII letters in punycode. */
export const asciiHost = (host: string): string => {
  const lower = host.toLowerCase();
  return NOT_ASCII.test(lower) ? domainToASCII(lower) || lower : lower;
};

/** A host in Unicode and in punycode. */
export const hostSpellings = (host: string): readonly string[] => [
  ...new Set([host.toLowerCase(), asciiHost(host), domainToUnicode(host) || host]),
];

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A zod refinement that checks every string and number inside a value. */
export const plainValue = (maxLength: number) =>
  refusing((value: unknown) => valueFault(value, maxLength, 0));

function valueFault(value: unknown, maxLength: number, depth: number): string | undefined {
  if (typeof value === 'string') return textFaultWithin(value, maxLength);
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  // A value with a YAML anchor may even contain itself.
  if (depth === MAX_DEPTH) return `is nested too deeply; the maximum is ${MAX_DEPTH} levels`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFaultWithin(key, maxLength) ?? valueFault(inner, maxLength, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'contains a number that is not finite, which JSON cannot represent';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `contains a number beyond ${Number.MAX_SAFE_INTEGER}, which would be rounded; write it as text, here and in the events`;
  return undefined;
}

function textFaultWithin(text: string, maxLength: number): string | undefined {
  return text.length > maxLength ? `must be at most ${maxLength} characters long` : textFault(text);
}
