import { z } from 'zod';
import { type Contract, isEnabled } from '../types/contract';
import { listOf } from './bounded-schema';
import { fault, lengthFault } from './schema-fault';

const sortKey = {
  by: z.string(fault('E_INVALID_SORT by')).min(1, lengthFault('E_INVALID_SORT by')),
  order: z.enum(['asc', 'desc'], fault('E_INVALID_SORT order')),
};

const sortTop = {
  ...sortKey,
  top: z.int(fault('E_INVALID_SORT top')).min(1, fault('E_INVALID_SORT top')).optional(),
};

const sortThen = {
  ...sortTop,
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: listOf(
    z.strictObject(sortKey, fault('E_INVALID_SORT then', { key: 'E_INVALID_SORT then-key' })),
    fault('E_INVALID_SORT then'),
  ).optional(),
  per: listOf(z.string(fault('E_INVALID_SORT per')), fault('E_INVALID_SORT per')).optional(),
};

const sortFaults = fault('E_INVALID_SORT shape', { key: 'E_INVALID_SORT key' });
const wholeSort = z.strictObject(sortThen, sortFaults).meta({ dependentRequired: { per: ['top'] } });
const plainSort = z.strictObject(sortTop, sortFaults);

export const sortSchema = (contract: Contract) => (isEnabled(contract, 'sort_then') ? wholeSort : plainSort);

/** A sort clause, including the keys that only some contracts allow. */
export type CheckedSort = z.infer<typeof wholeSort>;
