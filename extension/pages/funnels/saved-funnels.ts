// The funnels of a site. Everyone who can see the site can open them; users who may save its goals can change them.
import type { Knex } from 'knex';
import { DatabaseError } from 'pg';
import { z } from 'zod';
import { markOf, type ReadPool } from '../../../host-shim/extension-api';
import { lockLimit } from '../../data/storage/advisory-locks';
import { type Changed, strict } from '../../data/storage/field-faults';
import { nameText } from '../../data/storage/plain-text';
import type { FunnelStep } from '../shared-types/report-types';
import { MAX_NAME_LENGTH } from '../shared-types/saved-types';
import { funnelStepsSchema } from './funnel-step';

export const MAX_FUNNELS = 100;

export const funnelFields = strict({
  name: z.string().trim().pipe(nameText(MAX_NAME_LENGTH)),
  steps: funnelStepsSchema,
});
type FunnelFields = z.output<typeof funnelFields>;

export interface Funnel extends FunnelFields {
  readonly id: number;
}

export const markOfFunnel = ({ name, steps }: FunnelFields): string => markOf([name, steps]);

interface Row {
  readonly id: number;
  readonly name: string;
  readonly steps: readonly FunnelStep[];
}

/** Checks the steps again, but not the name: the rules for names may have been less strict when the funnel was saved. */
const storedFunnel = ({ id, name, steps }: Row): Funnel => ({
  id,
  name,
  steps: funnelStepsSchema.parse(steps),
});

/** Sorted by name. */
export async function listFunnels(read: ReadPool, siteId: number): Promise<readonly Funnel[]> {
  const rows = await read.query<Row>({
    text: 'SELECT funnel_id AS id, name, steps FROM analytics.funnel WHERE site_id = $1 ORDER BY lower(name), funnel_id',
    values: [siteId],
  });
  return rows.map(storedFunnel);
}

export type SavedFunnel =
  | { readonly kind: 'saved'; readonly id: number }
  | ({ readonly kind: 'changed' } & Changed<Funnel>)
  | { readonly kind: 'name-taken' | 'full' | 'gone' };

export function addFunnel(write: Knex, siteId: number, { name, steps }: FunnelFields): Promise<SavedFunnel> {
  return write.transaction(async (transaction) => {
    await lockLimit(transaction, siteId);
    const existing = await transaction('analytics.funnel').where('site_id', siteId).select('funnel_id');
    if (existing.length >= MAX_FUNNELS) return { kind: 'full' };
    const [row] = await transaction('analytics.funnel')
      .insert({ site_id: siteId, name, steps: JSON.stringify(steps) })
      .onConflict()
      .ignore()
      .returning<{ id: number }[]>('funnel_id as id');
    return row === undefined ? { kind: 'name-taken' } : { kind: 'saved', id: row.id };
  });
}

const UNIQUE_VIOLATION = '23505';

/** The funnel that a form showed; `mark` identifies its values at that time. */
interface ShownFunnel {
  readonly siteId: number;
  readonly id: number;
  readonly mark: string | undefined;
}

export async function changeFunnel(
  write: Knex,
  { siteId, id, mark }: ShownFunnel,
  { name, steps }: FunnelFields,
): Promise<SavedFunnel> {
  try {
    return await write.transaction(async (transaction) => {
      const stored = await lockFunnel(transaction, siteId, id);
      if (stored === undefined) return { kind: 'gone' };
      if (isChanged(stored, mark)) return { kind: 'changed', stored };
      await transaction('analytics.funnel')
        .where('funnel_id', id)
        .update({ name, steps: JSON.stringify(steps) });
      return { kind: 'saved', id };
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return { kind: 'name-taken' };
    throw error;
  }
}

/** Returns the stored funnel, and deletes nothing, if it differs from the shown one. */
export function deleteFunnel(write: Knex, { siteId, id, mark }: ShownFunnel): Promise<Funnel | undefined> {
  return write.transaction(async (transaction) => {
    const stored = await lockFunnel(transaction, siteId, id);
    if (stored !== undefined && isChanged(stored, mark)) return stored;
    await transaction('analytics.funnel').where({ site_id: siteId, funnel_id: id }).delete();
    return undefined;
  });
}

const isChanged = (stored: Funnel, mark: string | undefined): boolean =>
  mark !== undefined && markOfFunnel(stored) !== mark;

/** Locks the funnel until the end of the transaction. Undefined if the funnel was deleted. */
async function lockFunnel(
  transaction: Knex.Transaction,
  siteId: number,
  id: number,
): Promise<Funnel | undefined> {
  const [row] = await transaction('analytics.funnel')
    .where({ site_id: siteId, funnel_id: id })
    .forUpdate()
    .select<Row[]>('funnel_id as id', 'name', 'steps');
  return row && storedFunnel(row);
}
