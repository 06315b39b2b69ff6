// Node.js loads the code that runs before the tests, so that tests in the same process can share its modules.
require('./load-typescript');

module.exports = require('./before-tests.ts').default;
