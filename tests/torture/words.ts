// What no caller may ever read.

/** The stack of an error, words of Node about one, or the text of a statement. */
const RAW = /\n\s+at \S+|node:internal|Unhandled|triggerUncaught|\b(select|insert into|update|delete from) "/;

/** Whether a text shows the inside of the program instead of saying what is wrong. */
export const isRaw = (text: string): boolean => RAW.test(withoutLog(text));

/** Lines of the log are JSON; they may have stacks. */
const withoutLog = (text: string): string => text.replace(/^\{"level":.*\n?/gm, '');
