// What `make test-long` tries more of than `make test`: every way to plan a case, and more random data and queries.

export const IS_LONG_RUN = process.env.QAL_TEST_LONG === '1';

/** How often a random test tries. The short run begins with the same tries as the long one. */
export const tries = (short: number, long: number): number => (IS_LONG_RUN ? long : short);
