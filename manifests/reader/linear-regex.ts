// Regular expressions in formats run in linear time, so that a user's format cannot stall an import. JavaScript's own engine
// backtracks.
import { RE2JS } from 're2js';

/** Compiles an RE2 regular expression. If it is invalid, throws an Error with the reason, such as a backreference. */
export function linearRegex(source: string, flags: 'i' | '' = ''): { test(text: string): boolean } {
  return RE2JS.compile(RE2JS.translateRegExp(source), flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
}

export function isLinearRegex(source: string): boolean {
  try {
    linearRegex(source);
    return true;
  } catch {
    return false;
  }
}
