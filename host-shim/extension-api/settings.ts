import { z } from 'zod';

/** The extension cannot work with a setting's value. The message names the variable and the valid values. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

export interface Setting {
  readonly variable: string;
  /** A phrase for the help text and the System page. */
  readonly about: string;
  /** Parses the value. The schema's description completes the sentence "PORT must be ...". */
  readonly shape: z.ZodType;
  readonly fallback?: string;
  /** The value may contain a password and is never shown. */
  readonly secret?: boolean;
}

export type SettingTable = Readonly<Record<string, Setting>>;

/** Values of settings without a fallback may be undefined. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]:
    | z.output<Table[Key]['shape']>
    | (Table[Key] extends { readonly fallback: string } ? never : undefined);
};

export const matching = (pattern: RegExp, description: string) =>
  z.string().regex(pattern).describe(description);

export const matchingUrl = (pattern: RegExp, description: string) =>
  z
    .string()
    .refine((text) => pattern.test(text) && URL.canParse(text))
    .describe(description);

/** Both limits are inclusive. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .describe(`a whole number from ${min} to ${max}`);

export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).describe(`one of ${words.join(', ')}`);

export const onOff = oneOf('on', 'off')
  .transform((text) => text === 'on')
  .describe('one of on, off');
