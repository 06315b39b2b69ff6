import type { ERRORS, ErrorCode } from './error-table';

type FaultsOf<Code extends ErrorCode> = (typeof ERRORS)[Code] extends { faults: infer Faults }
  ? `${Code} ${keyof Faults & string}`
  : Code;

/** An error code or, if the code covers several errors, the code and one of them: `E_INVALID_JOIN several`. */
export type Fault = { [Code in ErrorCode]: FaultsOf<Code> }[ErrorCode];

type WordsOf<Name extends Fault> = Name extends `${infer Code extends ErrorCode} ${infer Problem}`
  ? (typeof ERRORS)[Code] extends { faults: infer Faults }
    ? Faults[Problem & keyof Faults]
    : never
  : (typeof ERRORS)[Name & ErrorCode];

type Field<W, Key extends string> = W extends { readonly [K in Key]: infer Value } ? Value : never;
type Shown<Text> = Text extends `${string}<${infer Name}>${infer Rest}` ? Name | Shown<Rest> : never;
type Bare<Name> = Name extends `${infer Start}:${string}` ? Start : Name;
type ValueOf<Name> = Name extends `${string}:text`
  ? string | number
  : Name extends `${string}:${string}`
    ? readonly string[]
    : unknown;
type DetailsOf<W> = Field<W, 'details'>[keyof Field<W, 'details'>];

/** The parameters in a string, with the types that its placeholders need. */
type ShownIn<Text> = {
  readonly [Name in Bare<Shown<Text>> & string]: ValueOf<Extract<Shown<Text>, Name | `${Name}:${string}`>>;
};

/** Parameters for the message and the details are required. Parameters for hints are optional. */
export type Parameters<Name extends Fault> = ShownIn<Field<WordsOf<Name>, 'message'>> & {
  readonly [Key in Exclude<DetailsOf<WordsOf<Name>>, 'hint'> & string]: unknown;
} & Given & { readonly hint?: keyof Field<WordsOf<Name>, 'hints'> | undefined };

/** Parameters that any error may have. */
export interface Given {
  /** The key of the hint to show. */
  readonly hint?: string | undefined;
  /** A known name that is similar to the one received. */
  readonly nearest?: string | undefined;
  readonly [name: string]: unknown;
}
