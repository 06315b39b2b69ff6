// Owns a hash of 128 bits over 32-bit words: MurmurHash3, the x86 variant for 128 bits.
// Words and a seed in -> four words out. Its values are stored (page_view.fingerprint): it must never change.

const BLOCK = 4;

/** Hashes the first `length` words, which must be a multiple of four; the result goes to `out`. */
export function hash128(words: Uint32Array, length: number, seed: number, out: Uint32Array): void {
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  for (let i = 0; i < length; i += BLOCK) {
    h1 ^= Math.imul(rotate(Math.imul(words[i] ?? 0, 0x239b961b), 15), 0xab0e9789);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(words[i + 1] ?? 0, 0xab0e9789), 16), 0x38b34ae5);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(words[i + 2] ?? 0, 0x38b34ae5), 17), 0xa1e38b93);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(words[i + 3] ?? 0, 0xa1e38b93), 18), 0x239b961b);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  const bytes = length * 4;
  h1 ^= bytes;
  h2 ^= bytes;
  h3 ^= bytes;
  h4 ^= bytes;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = avalanche((h2 + h1) | 0);
  h3 = avalanche((h3 + h1) | 0);
  h4 = avalanche((h4 + h1) | 0);
  h1 = avalanche(h1);
  h1 = (h1 + h2 + h3 + h4) | 0;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
}

function rotate(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function avalanche(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
