// The column copy of a process: what it is made from, and what others ask of it.

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
  /** Of the file; beyond it, the sites that are asked for most are copied. undefined = all sites are. */
  readonly mostBytes?: number | undefined;
  /** Called with what is being copied, and with undefined when that is done or given up. */
  readonly onProgress?: (underWay: UnderWay | undefined) => void;
}

export interface Columns extends ColumnReader {
  status(): Promise<ColumnsStatus>;
  /** Throws away the copies of sites in these versions, of which an answer differed from rows. `where` names the evidence. */
  distrust(sites: readonly Pick<SiteState, 'siteId' | 'version'>[], where: string): void;
  /** Looks for changes now, and resolves when they are in the copy, or cannot be for the moment. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}
