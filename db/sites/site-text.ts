// Owns what the database can keep of a file of sites: which texts, how long they may be, how deep values may nest.
// Schemas and checks for site-file.ts; each fault says what would be right.
import { z } from 'zod';

const LONE_SURROGATE = /\p{Surrogate}/u;
const DEEPEST = 8;

/** A text that is not empty and that the database can keep. */
export function plainText(longest: number) {
  return z
    .string()
    .min(1, 'must not be empty')
    .superRefine((text, context) => {
      const message = textFault(text, longest);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}

/** Checks every text inside a value of any form. */
export function plainValue(longest: number) {
  return (value: unknown, context: z.RefinementCtx): void => {
    const message = valueFault(value, longest, 0);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

function valueFault(value: unknown, longest: number, depth: number): string | undefined {
  if (typeof value === 'string') return textFault(value, longest);
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  // A YAML anchor may even make a value that holds itself.
  if (depth === DEEPEST) return `nests too deeply; ${DEEPEST} levels are the most`;
  for (const [key, inner] of Object.entries(value)) {
    const fault = textFault(key, longest) ?? valueFault(inner, longest, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) return 'holds a number without end, which JSON cannot say';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return `holds a number beyond ${Number.MAX_SAFE_INTEGER}, which would be rounded; write it as text, here and in the events`;
  return undefined;
}

function textFault(text: string, longest: number): string | undefined {
  if (text.length > longest) return `must be at most ${longest} characters long`;
  if (text.includes('\0')) return 'holds the character U+0000, which the database cannot keep';
  if (LONE_SURROGATE.test(text)) return 'holds half a character (a lone surrogate); write it as UTF-8';
  return undefined;
}
