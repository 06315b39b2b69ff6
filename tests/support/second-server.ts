// `.ci/run` also runs the tests on a second PostgreSQL server, in parallel with the whole suite. There, tests cover only what
// depends on the server, and skip the columnar copy and what the program computes before it queries the server.

export const IS_SECOND_SERVER = process.env.QAL_SECOND_SERVER === '1';

/** Describes tests that do not depend on the server. They are skipped on the second one. */
export function onFirstServer(title: string, tests: () => void): void {
  (IS_SECOND_SERVER ? describe.skip : describe)(title, tests);
}
