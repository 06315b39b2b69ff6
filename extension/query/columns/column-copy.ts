import type { SiteState } from '../../language/types/resolved-query';
import type { ColumnReader } from '../column-reader';
import type { AuditOptions } from './audit';
import type { ColumnsStatus, UnderWay } from './columns-status';
import type { DifferenceOptions } from './found-differences';
import type { OpenCopyOptions } from './open-copy';

export interface ColumnsOptions
  extends OpenCopyOptions,
    Omit<AuditOptions, 'now'>,
    Omit<DifferenceOptions, 'now'> {
  /** Size limit of the file. If not all sites fit, those that are queried most are copied. Undefined = no limit. */
  readonly mostBytes?: number | undefined;
  /** Called with what is being copied, and with undefined when that is finished or abandoned. */
  readonly onProgress?: (underWay: UnderWay | undefined) => void;
}

export interface Columns extends ColumnReader {
  status(): Promise<ColumnsStatus>;
  /** Discards the copies of sites with these versions, because an answer differed from the one from rows. `where` names the evidence. */
  distrust(sites: readonly SiteState[], where: string): void;
  /** Looks for changes now. Resolves when they have been copied, or cannot be copied for now. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}
