// Regular expressions of formats. Their time grows with the length of the text alone, however they are written: a user's own
// format must not be able to stop an import, and JavaScript's engine tries every way to match.
import { RE2JS } from 're2js';

/** Compiles a regular expression of RE2. Throws an Error that says what is wrong with it, such as a back reference. */
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
