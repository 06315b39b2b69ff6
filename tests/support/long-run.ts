// `make test-long` plans each case in every possible way, and uses more random data and queries than `make test`.

export const IS_LONG_RUN = process.env.QAL_TEST_LONG === '1';

/** The number of tries in a random test. A long run starts with the tries of the short run. */
export const tries = (short: number, long: number): number => (IS_LONG_RUN ? long : short);
