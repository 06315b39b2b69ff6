// Owns the pieces in which rows are sent to PostgreSQL's binary COPY: what stands around the rows, and their size.
// Bytes of rows in -> pieces to send. A piece begins small, so that few rows take little memory, and are one message.

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const TRAILER = Buffer.from([0xff, 0xff]);
const FIRST_BYTES = 4096;
/** Small ones would each be a message of their own. */
const PIECE_BYTES = 256 * 1024;

export class CopyPieces {
  /** The piece that is being filled; `at` is the place behind what is in it. */
  piece: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  at: number = SIGNATURE.copy(this.piece);

  /** Makes room for so many bytes. Answers the piece that was full, which is to be sent. */
  makeRoom(bytes: number): Buffer | undefined {
    const wanted = this.at + bytes + TRAILER.length;
    if (wanted <= this.piece.length) return undefined;
    const filled = this.piece.subarray(0, this.at);
    if (wanted <= PIECE_BYTES) {
      this.piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(wanted, this.piece.length * 2)));
      filled.copy(this.piece);
      return undefined;
    }
    this.piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, bytes + TRAILER.length));
    this.at = 0;
    return filled;
  }

  /** The last piece. */
  end(): Buffer {
    return this.piece.subarray(0, this.at + TRAILER.copy(this.piece, this.at));
  }
}
