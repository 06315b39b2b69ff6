// The page on qal explain lists the passes of the planner in their order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSES } from '../../extension/language/plan/plan-query';

test('every pass has a line, in order', () => {
  const page = readFileSync(join(__dirname, '../../docs/how-to/explain.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| \S/gm)].map(([, name]) => name);
  expect(listed).toEqual(PASSES.map(({ name }) => name));
});
