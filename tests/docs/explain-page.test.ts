// The how-to on qal explain lists the planner's passes in order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSES } from '../../extension/language/plan/plan-query';

test('every pass is listed, in order', () => {
  const page = readFileSync(join(__dirname, '../../docs/how-to/explain.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| \S/gm)].map(([, name]) => name);
  expect(listed).toEqual(PASSES.map(({ name }) => name));
});
