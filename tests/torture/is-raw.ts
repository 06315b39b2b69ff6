/** A stack trace, an error message from Node.js, or an SQL statement. */
const RAW = /\n\s+at \S+|node:internal|Unhandled|triggerUncaught|\b(select|insert into|update|delete from) "/;

/** Whether a message for users exposes internals. Log lines are JSON, and may contain stack traces. */
export const isRaw = (text: string): boolean => RAW.test(text.replace(/^\{"level":.*\n?/gm, ''));
