// `.ci/run` tests on a second server beside the whole suite. There, only what depends on the server is tested: not the column copy, and
// not what the program computes before it asks the server.

export const IS_SECOND_SERVER = process.env.QAL_SECOND_SERVER === '1';
