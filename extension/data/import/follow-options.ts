// How a log is followed, and what is done with its lines.
import type { Readable } from 'node:stream';
import type { FollowState, Gap } from './follow-state';
import type { ImportReport } from './import-options';
import type { LogFile } from './log-files';

export interface FollowOptions {
  readonly path: string;
  /** Where the log was left; undefined to begin at the start of its file. */
  readonly state: FollowState | undefined;
  /**
   * Imports a piece of whole lines, which begins at a byte of the file. In its transaction, when the piece was read to its end, it stores the state that `check`
   * returns; that throws if the file changed meanwhile.
   */
  importPiece(
    piece: Readable,
    { file, from }: { readonly file: LogFile; readonly from: number },
    check: StateCheck,
  ): Promise<ImportReport>;
  /** Stores a state to which no rows belong, with the gap before it. */
  storeState(state: FollowState, gap?: Gap): Promise<void>;
  readonly onGap: 'record' | 'stop';
  clock(): Date;
  /** Waits until the file may have grown. Returns false if that was enough. */
  wait(): Promise<boolean>;
  onImported(report: ImportReport): void;
  onWarning(text: string): void;
}

type StateCheck = () => Promise<FollowState>;
