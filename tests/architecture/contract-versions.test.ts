// Contracts differ in named rules. Only the contracts' own folder refers to them by date.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, sourceFiles } from './source-files';

const versions = readdirSync(join(ROOT, 'manifests', 'contracts')).map((file) => file.replace(/\.yaml$/, ''));

const core = sourceFiles().filter(
  ({ path }) =>
    /^(manifests|extension|host-shim|db)\//.test(path) && !/^extension\/api\/contracts\//.test(path),
);

// conformance: contracts.no-code-compares
test('no code outside extension/api/contracts mentions a version', () => {
  expect(versions.length).toBeGreaterThan(1);
  const mention = new RegExp(`['"\`](${versions.join('|')})['"\`]`);
  expect(core.filter(({ text }) => mention.test(text)).map(({ path }) => path)).toEqual([]);
});

// conformance: contracts.no-code-compares
test('the query phases and the guide never compare versions', () => {
  const phases = core.filter(({ path }) =>
    /^extension\/(language\/(?!errors\/)|query\/(?!columns\/)|api\/(guide|routes)\/)/.test(path),
  );
  expect(phases.length).toBeGreaterThan(50);
  const compares = /\bversion\s*(?:===|!==|<=?|>=?)\s*(?!undefined)[\w'"`]/;
  expect(phases.filter(({ text }) => compares.test(text)).map(({ path }) => path)).toEqual([]);
});
