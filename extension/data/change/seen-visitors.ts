// Tracks which visitors may have stored views: on a site that was empty, those in earlier pieces, as long as no stored view is
// changed. A Bloom filter holds them, so a few other visitors are looked up as well.

/** 4 MB: with ten million visitors, one in five is looked up unnecessarily. */
const BITS_LOG2 = 25;

export function seenVisitors(isEmpty: boolean, bitsLog2 = BITS_LOG2) {
  if (!isEmpty) return { mayBeStored: () => true, nextPiece: () => undefined };
  /** Created with the second piece, which few files have. */
  let bits: Uint8Array | undefined;
  let inPiece = new Set<number>();
  let hasEnded = false;
  const startPiece = (): Uint8Array => {
    const filled = bits ?? new Uint8Array(2 ** (bitsLog2 - 3));
    for (const visitor of inPiece)
      for (const bit of bitsOf(visitor, bitsLog2))
        filled[bit >>> 3] = (filled[bit >>> 3] ?? 0) | (1 << (bit & 7));
    inPiece = new Set();
    hasEnded = false;
    return filled;
  };
  return {
    /** Whether an earlier piece may have contained this visitor of the current piece. */
    mayBeStored(visitor: number): boolean {
      if (hasEnded) bits = startPiece();
      inPiece.add(visitor);
      const known = bits;
      if (known === undefined) return false;
      return bitsOf(visitor, bitsLog2).every((bit) => ((known[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0);
    },
    /** Called once the rows so far are stored. */
    nextPiece(): void {
      hasEnded = true;
    },
  };
}

const SEEDS = [0x9e3779b9, 0x7f4a7c15] as const;

/** The bits of a visitor: the top bits of a hash of both halves of the id, with each seed. */
const bitsOf = (visitor: number, bitsLog2: number): readonly number[] =>
  SEEDS.map((seed) => {
    let hash =
      Math.imul(visitor ^ seed, 0x85ebca6b) ^ Math.imul(Math.floor(visitor / 2 ** 32) + seed, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f);
    return (hash ^ (hash >>> 13)) >>> (32 - bitsLog2);
  });
