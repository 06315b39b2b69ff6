import { readUtf8 } from '../../../extension/data/import/formats/read-lines';

test.each([
  ['an ideographic space, which contains the lowest continuation byte twice', '\u3000'],
  ['a character that ends with the highest continuation byte', '\u07ff'],
  ['a four-byte character', '\u{1f600}'],
])('a character is read correctly wherever the stream is split: %s', async (_name, character) => {
  const bytes = Buffer.from(`a${character}b`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    async function* pieces() {
      yield bytes.subarray(0, cut);
      yield bytes.subarray(cut);
    }
    const texts: string[] = [];
    for await (const piece of readUtf8(pieces(), (fault) => {
      throw fault;
    }))
      texts.push(piece.toString());
    expect(texts.join('')).toBe(`a${character}b`);
  }
});
