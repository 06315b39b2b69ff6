// `make test-long` goes further than `make test`: it plans each case in every way, and uses more random data and queries.

export const IS_LONG_RUN = process.env.QAL_TEST_LONG === '1';

/** The number of tries in a random test. The short run begins with the same tries as the long one. */
export const tries = (short: number, long: number): number => (IS_LONG_RUN ? long : short);
