// The conformance page is built from conformance.yaml and the tags in the tests.
import { conformancePage } from '../../docs/conformance-page';

const TAG = ['conform', 'ance:'].join('');
const promises = { sort: 'Rows are sorted', top: 'top cuts the rows' };
const groups = [{ group: 'view', heading: '## View', promises }];

const source = (tag: string) => ({
  path: 'tests/rows.test.ts',
  text: [
    `// ${TAG} view.sort`,
    "test('by a column', () => {});",
    `// ${TAG} ${tag}`,
    "test.each(['one', 'two'])('it\\'s cut at %s', () => {});",
  ].join('\n'),
});

const cases = {
  path: 'tests/cases/sort.yaml',
  text: `- title: first\n  ids: [1]\n# ${TAG} view.sort\n- {title: 'by a | b', ids: [2]}\n- title: last\n`,
};

test('each guarantee is followed by the titles of the tests with its tag', () => {
  const [, heading, table] = conformancePage(groups, [source('view.top'), cases]);
  expect(heading).toBe('## View');
  expect(table?.split('\n').slice(2)).toEqual([
    '| Rows are sorted | `rows.test.ts` by a column<br>`cases/sort.yaml` by a \\| b |',
    "| top cuts the rows | `rows.test.ts` it's cut at %s |",
  ]);
});

test('a tag without a guarantee and a guarantee without a test are reported', () => {
  expect(() => conformancePage(groups, [source('view.last')])).toThrow(
    'no promise has the tag view.last\nno test has the tag view.top',
  );
});
