// Text that the database can store and people can see.
import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

/** Why the database cannot store the text; undefined if it can. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains the character U+0000, which the database cannot store';
  return text.isWellFormed() ? undefined : 'contains half a character (a lone surrogate); write it as UTF-8';
}

const DEEPEST = 8;
/** Invisible characters: controls, format characters, separators and blank letters. With them, two names could look the same. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164]/u;
/** Two invisible characters that join visible ones, in some scripts and in emoji. */
const JOINED = /(?<=[\p{L}\p{M}\p{N}\p{P}\p{S}])[\u200c\u200d](?=[\p{L}\p{M}\p{N}\p{P}\p{S}])/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A schema for non-empty text that the database can store. */
export function plainText(longest: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .superRefine((text, context) => {
      const message = textFaultWithin(text, longest);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** A schema for a name without invisible characters. */
export function nameText(longest: number) {
  return plainText(longest).superRefine((text, context) => {
    const message = hiddenFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

/** Why a name is not fully visible; undefined if it is. */
export function hiddenFault(text: string): string | undefined {
  const [hidden] = HIDDEN.exec(text.replace(JOINED, '')) ?? [];
  if (hidden !== undefined) return `contains the invisible character ${codeOf(hidden)}; leave it out`;
  // An empty text is reported separately.
  return text === '' || VISIBLE.test(text) ? undefined : 'must have a visible character';
}

const LONGEST_HOST = 253;
/** Letters of any script, without characters that a browser would drop or replace. */
const HOST_LABELS = /^(?!-)[\p{L}\p{M}\p{N}_-]{1,63}(?<!-)(?:\.(?!-)[\p{L}\p{M}\p{N}_-]{1,63}(?<!-))*$/u;

/** A schema for a host name: `shop.example`, `münchen.example`. */
export const hostName = plainText(LONGEST_HOST).refine(
  (text) => text === '' || (HOST_LABELS.test(text) && !HIDDEN.test(text) && domainToASCII(text) !== ''),
  'must be a host name such as shop.example, without https:// and without a path',
);

const NOT_ASCII = /[^ -~]/;

/** A host as browsers send it and as URLs are stored: lower case, with punycode for letters beyond ASCII. */
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

/** Checks every text and number inside a value. */
export function plainValue(longest: number) {
  return (value: unknown, context: z.RefinementCtx): void => {
    const message = valueFault(value, longest, 0);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

function valueFault(value: unknown, longest: number, depth: number): string | undefined {
  if (typeof value === 'string') return textFaultWithin(value, longest);
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  // With a YAML anchor, a value may even contain itself.
  if (depth === DEEPEST) return `nests too deeply; ${DEEPEST} levels are the most`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFaultWithin(key, longest) ?? valueFault(inner, longest, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'contains a number that is not finite, which JSON cannot express';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `contains a number beyond ${Number.MAX_SAFE_INTEGER}, which would be rounded; write it as text, here and in the events`;
  return undefined;
}

function textFaultWithin(text: string, longest: number): string | undefined {
  return text.length > longest ? `must be at most ${longest} characters long` : textFault(text);
}
