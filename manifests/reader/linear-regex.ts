// Regular expressions of formats, which run in linear time: a user's format must not be able to stall an import, as
// JavaScript's backtracking engine would allow.
import { RE2JS } from 're2js';

/** Compiles an RE2 regular expression. Throws an Error with the reason, such as a back reference. */
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
