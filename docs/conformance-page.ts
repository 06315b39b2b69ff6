// The conformance page: the promises in conformance.yaml, each with the tests tagged with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { type SourceFile, sourceFiles } from '../tests/architecture/source-files';

const groupsShape = z.array(
  z.strictObject({ group: z.string(), heading: z.string(), promises: z.record(z.string(), z.string()) }),
);
type PromiseGroup = z.infer<typeof groupsShape>[number];

const INTRODUCTION =
  'Every guarantee in the specification, and our answers to what it leaves open, each with the tests that prove it. ' +
  'Guarantees are listed in `docs/conformance.yaml`; a comment above the title of a test names the guarantees that it proves. ' +
  "Paths are below `tests/`. In a title, `%s` and `$name` are placeholders for values from the test's table.";

const TAGS = /(?:^[ \t]*(?:\/\/|#) conformance: .+\n)+/gm;

const STRING = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|${'`'}([^${'`'}]*)${'`'})`;
const AFTER_EACH = new RegExp(String.raw`^.*?\)\(\s*${STRING}`);
const FIRST_STRING = new RegExp(STRING);

/** Returns the page's blocks. Throws on a tag without a promise and on a promise without a test. */
export function conformancePage(
  groups: readonly PromiseGroup[] = groupsShape.parse(
    load(readFileSync(join(__dirname, 'conformance.yaml'), 'utf8')),
  ),
  files: readonly SourceFile[] = testFiles(),
): readonly string[] {
  const tests = taggedTests(files);
  const tags = groups.flatMap(({ group, promises }) =>
    Object.keys(promises).map((name) => `${group}.${name}`),
  );
  const faults = [
    ...[...tests.keys()].filter((tag) => !tags.includes(tag)).map((tag) => `no promise has the tag ${tag}`),
    ...tags.filter((tag) => !tests.has(tag)).map((tag) => `no test has the tag ${tag}`),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return [
    INTRODUCTION,
    ...groups.flatMap(({ group, heading, promises }) => [
      heading,
      [
        '| guarantee | proven by |',
        '| --- | --- |',
        ...Object.entries(promises).map(
          ([name, text]) => `| ${cell(text)} | ${(tests.get(`${group}.${name}`) ?? []).join('<br>')} |`,
        ),
      ].join('\n'),
    ]),
  ];
}

const testFiles = () =>
  [...sourceFiles('.ts'), ...sourceFiles('.yaml')]
    .filter(({ path }) => path.startsWith('tests/'))
    .sort((one, other) => (one.path < other.path ? -1 : 1));

/** Maps each tag to the tests that have it. */
function taggedTests(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const tests = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const { 0: lines, index } of text.matchAll(TAGS)) {
      const rest = text.slice(index + lines.length);
      const title = path.endsWith('.yaml') ? titleOfCase(rest) : titleOfTest(rest);
      const shown = `\`${path.slice('tests/'.length)}\` ${cell(title)}`;
      for (const [tag] of lines.matchAll(/[\w-]+\.[\w-]+/g))
        tests.set(tag, [...(tests.get(tag) ?? []), shown]);
    }
  return tests;
}

function titleOfTest(rest: string): string {
  const [, single, double, template] = AFTER_EACH.exec(rest) ?? FIRST_STRING.exec(rest) ?? [];
  return (single ?? double ?? template ?? '').replace(/\\(.)/g, '$1');
}

function titleOfCase(rest: string): string {
  const [item = ''] = rest.split(/\n(?=\S)/, 1);
  return z.tuple([z.object({ title: z.string() })]).parse(load(item))[0].title;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
