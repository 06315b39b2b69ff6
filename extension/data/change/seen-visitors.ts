// Remembers which visitors of an import may have stored views.
import { numberTable } from '../rows/number-table';

interface SeenVisitors {
  /** Whether a visitor may have stored views. False if the site was empty and no earlier piece contained views by the visitor. */
  mayBeStored(visitor: number): boolean;
  /** Called once the rows seen so far are stored. */
  nextPiece(): void;
}

/** Remembers up to `capacity` visitors. If there are more, all of them may have stored views. */
export function seenVisitors(isEmpty: boolean, capacity: number): SeenVisitors {
  const pieceOf = numberTable(capacity);
  let piece = 1;
  let isComplete = isEmpty;
  return {
    mayBeStored(visitor) {
      if (!isComplete) return true;
      const first = pieceOf.get(visitor);
      if (first !== undefined) return first < piece;
      isComplete = pieceOf.hasRoom(1);
      if (isComplete) pieceOf.set(visitor, piece);
      return !isComplete;
    },
    nextPiece() {
      piece += 1;
    },
  };
}
