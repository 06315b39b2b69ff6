import { printParseErrorCode } from 'jsonc-parser';
import type { CheckedFault, QueryEdit } from '../../shared-types/query-check';
import { rangeAt, readQueryText, type TextRange } from './query-text';

export interface Fault extends TextRange {
  readonly message: string;
  /** The repair, if the server suggests one. */
  readonly repair?: RepairAction | undefined;
}

interface RepairAction {
  readonly name: string;
  readonly edits: readonly QueryEdit[];
}

const MESSAGES: Readonly<Record<string, string>> = {
  InvalidSymbol: 'This is not a JSON value. Text needs double quotes.',
  InvalidNumberFormat: 'This is not a number.',
  PropertyNameExpected: 'Expected a key in double quotes.',
  ValueExpected: 'Expected a value.',
  ColonExpected: 'Expected a colon.',
  CommaExpected: 'Expected a comma.',
  CloseBraceExpected: 'Expected a closing }.',
  CloseBracketExpected: 'Expected a closing ].',
  EndOfFileExpected: 'Expected the end of the query.',
  InvalidCommentToken: 'JSON has no comments.',
  UnexpectedEndOfComment: 'JSON has no comments.',
  UnexpectedEndOfString: 'Expected a closing quote.',
  UnexpectedEndOfNumber: 'The number is incomplete.',
  InvalidUnicode: 'The \\u escape is incomplete.',
  InvalidEscapeCharacter: 'This escape does not exist.',
  InvalidCharacter: 'This character must be escaped.',
};

/** JSON syntax errors. The server reports text that is nested too deeply. */
export function syntaxFaults(text: string): readonly Fault[] {
  if (text.trim() === '') return [{ from: 0, to: 0, message: 'The query is empty.' }];
  return readQueryText(text).errors.map(({ error, offset, length }) => {
    const code = printParseErrorCode(error);
    const from = Math.min(offset, text.length);
    const to = Math.min(from + Math.max(length, 1), text.length);
    return { from, to, message: MESSAGES[code] ?? `This is not JSON (${code}).` };
  });
}

/** Undefined if the position is not in the text. */
export function placeOf(text: string, { at }: Pick<CheckedFault, 'at'>): TextRange | undefined {
  return at === undefined ? undefined : rangeAt(readQueryText(text), at);
}

/** An uncertain repair is offered as a suggestion. */
export const repairOf = ({ repair }: Pick<CheckedFault, 'repair'>): RepairAction | undefined =>
  repair && { name: repair.certain ? 'Apply the fix' : 'Try this fix', edits: repair.edits };

/** An error from the server; without a position, it is at the first character. */
export function faultOf(text: string, fault: CheckedFault): Fault {
  const { message, hint } = fault;
  return {
    ...(placeOf(text, fault) ?? { from: 0, to: Math.min(1, text.length) }),
    message: hint === undefined ? message : `${message} ${hint}`,
    repair: repairOf(fault),
  };
}
