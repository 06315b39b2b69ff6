// Owns the hash of a text that stands for it among the numbers of a row.
// Text in -> a whole number of 52 bits: enough to tell apart rows that agree in everything else.

/** The hash of a text; `seed` is the hash of the texts before it. */
export function textHash(seed: number, text: string): number {
  let low = 0xdeadbeef ^ (seed | 0);
  let high = 0x41c6ce57 ^ ((seed / 4_294_967_296) | 0);
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2_654_435_761);
    high = Math.imul(high ^ code, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (high & 0xfffff) * 4_294_967_296 + (low >>> 0);
}
