// Output cannot control the user's terminal. Results are written to a pipe unchanged.
import { Writable } from 'node:stream';
import { columns } from '../../host-shim/cli/command';
import { plainCell, plainOutput, plainText } from '../../host-shim/cli/plain-output';

function collector(isTTY: boolean) {
  const pieces: Buffer[] = [];
  const write = (piece: Buffer, _encoding: unknown, done: () => void) => {
    pieces.push(piece);
    done();
  };
  const stream = Object.assign(new Writable({ write, decodeStrings: true }), { isTTY });
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') };
}

test.each([
  // attack: terminal-escape-sequences-output
  ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['an escape sequence that begins with a C1 control character', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['a bell and a backspace', '\u0007\b\u007f', '\\u0007\\u0008\\u007f'],
  ['a carriage return', 'shop\rblog', 'shop\\u000dblog'],
  ['a control character that reverses text', 'a\u202egpj.exe', 'a\\u202egpj.exe'],
  ['lines, tabs and letters of any script', 'é\t漢\r\n🙂\n', 'é\t漢\r\n🙂\n'],
])('%s', (_what, text, written) => {
  const { stream, text: seen } = collector(true);
  plainOutput(stream).write(text);
  expect(seen()).toBe(written);
});

test('JSON keeps its meaning', () => {
  const value = { text: '\u001b[31m\u009b\u007f\u202e\n' };
  expect(JSON.parse(plainText(JSON.stringify(value)))).toEqual(value);
});

test('a table cell stays on its line', () => {
  expect(
    columns([
      ['a\nb', plainCell('c\td')],
      ['x', 'y'],
    ]),
  ).toBe('a\\u000ab  c\\u0009d\nx         y\n');
});

test('a result is written to a pipe unchanged, and escaped on a terminal', async () => {
  const bytes = Buffer.from('a\u001b[2J\u009b é\r\n');
  const [pipe, terminal] = [collector(false), collector(true)];
  plainOutput(pipe.stream).data.write(bytes);
  const { data } = plainOutput(terminal.stream);
  // Both splits are inside a multi-byte character.
  for (const [start, end] of [
    [0, 6],
    [6, 9],
    [9, bytes.length],
  ])
    await new Promise((done) => data.write(bytes.subarray(start, end), done));
  expect(pipe.text()).toBe(bytes.toString('utf8'));
  expect(terminal.text()).toBe('a\\u001b[2J\\u009b é\r\n');
});
