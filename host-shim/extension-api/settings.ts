// The settings of the host and of its extensions: environment variables, read by zod.
import { z } from 'zod';

/** An extension cannot work with one of its settings. The message names the variable and the correct values. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** An environment variable. */
export interface Setting {
  readonly variable: string;
  /** One phrase, for help and the page System. */
  readonly about: string;
  /** Reads the text. Its description completes the sentence "PORT must be ...". */
  readonly shape: z.ZodType;
  /** The value of an unset variable. */
  readonly fallback?: string;
  /** The value may hold a password and is never shown. */
  readonly secret?: boolean;
}

/** Key of the value -> its variable. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** What a table reads; without a fallback a value may be undefined. */
export type SettingValues<Table extends SettingTable> = {
  readonly [Key in keyof Table]:
    | z.output<Table[Key]['shape']>
    | (Table[Key] extends { readonly fallback: string } ? never : undefined);
};

/** A setting that is a whole number, both ends included. */
export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most)
    .describe(`a whole number from ${least} to ${most}`);

/** A setting that is one of these words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).describe(`one of ${words.join(', ')}`);
