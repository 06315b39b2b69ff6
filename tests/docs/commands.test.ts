// Every `make` and `qal` command on our pages exists and has the options shown.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { addCommands } from '../../host-shim/cli/command-line';
import { PRODUCT } from '../../host-shim/main';
import { HOUSE_WORDS } from '../support/house-words';
import { blocksOf, markdownPages } from './fenced-blocks';

const ROOT = join(__dirname, '..', '..');
const shown = markdownPages()
  .flatMap((page) => blocksOf(page, 'sh'))
  .flatMap(({ place, text }) =>
    text.split('\n').map((line) => ({ place, line: line.replace(/ +# .*$/, '') })),
  );

function qalProgram(): Command {
  const program = new Command('qal');
  addCommands(program, PRODUCT, { QAL_ENV_FILE: 'off' }, new AbortController().signal);
  return program;
}

function faultOf(words: readonly string[]): string | undefined {
  let command = qalProgram();
  let depth = 0;
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
    depth += 1;
  }
  if (command.commands.length > 0) return `${words[depth]} is not a command of ${command.name()}`;
  const options = words.filter((word) => word.startsWith('--'));
  return options.find((option) => !command.options.some((known) => known.long === option));
}

const makeCommands = shown.flatMap(({ place, line }) => {
  const target = /^make ([a-z-]+)/.exec(line)?.[1];
  return target === undefined ? [] : [[place, target] as const];
});

const qalCommands = shown.flatMap(({ place, line }) => {
  const words = /\bbin\/qal (.*?)\)?$/.exec(line)?.[1];
  return words === undefined ? [] : [[place, words] as const];
});

test('the pages contain commands of both programs', () => {
  expect(makeCommands.length).toBeGreaterThan(1);
  expect(qalCommands.length).toBeGreaterThan(5);
});

test.each(makeCommands)('%s: make %s', (_, target) => {
  expect(readFileSync(join(ROOT, 'Makefile'), 'utf8')).toMatch(new RegExp(`^${target}:.* ## `, 'm'));
});

test('a target with the same name as a folder is always built', () => {
  const makefile = readFileSync(join(ROOT, 'Makefile'), 'utf8');
  const targets = [...makefile.matchAll(/^([a-z-]+):.* ## /gm)].map(([, target = '']) => target);
  const phony = /^\.PHONY: (.*)$/m.exec(makefile)?.[1]?.split(' ');
  expect(targets.filter((target) => existsSync(join(ROOT, target)))).toEqual(phony);
});

test.each(qalCommands)('%s: qal %s', (_, words) => {
  expect(faultOf(words.split(/\s+/))).toBeUndefined();
});

test('the help for every command uses standard terms', () => {
  const textsOf = (command: Command): readonly string[] => [
    command.description(),
    ...command.registeredArguments.flatMap((argument) => [argument.name(), argument.description]),
    ...command.options.map(({ description }) => description),
    ...command.commands.flatMap(textsOf),
  ];
  const texts = textsOf(qalProgram());
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter((text) => HOUSE_WORDS.test(text))).toEqual([]);
});

test.each(markdownPages())(
  '%s runs the program by its path, because npx would download a different package',
  (page) => {
    expect(readFileSync(join(ROOT, page), 'utf8')).not.toMatch(
      /\b(npm exec|npx)\b[^\n]*\bqal\b(?!-analytics)/,
    );
  },
);
