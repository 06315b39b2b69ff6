// The rollups of manifests/rollups.yaml. A test of the database shows that their fields exist.
import { join } from 'node:path';
import { z } from 'zod';
import { deepFreeze, frozenMap } from './freeze';
import { ManifestError, type ManifestFault, readYaml } from './read-yaml';

const field = z.string().regex(/^[a-z][a-z0-9_]*$/);
const where = z.record(field, z.union([z.int(), z.literal('positive')])).default({});

const dimensionSchema = z.strictObject({
  code: z.int().min(1).max(32_767),
  keys: z.array(field).max(2),
  counts: z.array(field),
  varies: z.boolean().default(false),
});

const measureSchema = z.strictObject({
  function: z.enum(['COUNT', 'SUM']),
  of: field.optional(),
  where,
  equally: where,
});

const rollupsFileSchema = z.strictObject({
  materials: z.record(
    z.string(),
    z.strictObject({
      dimensions: z.record(field, dimensionSchema),
      measures: z.record(field, measureSchema),
    }),
  ),
});

/**
 * One kind of counts: the rows of each combination of `keys`; `counts` are fields whose values are told apart. `varies`:
 * its keys change within a visit.
 */
export interface RollupDimension extends Readonly<z.infer<typeof dimensionSchema>> {
  readonly name: string;
}

/** Rows of a kind: stored field -> its value, or `positive`. Empty: all rows. */
export type RowKind = Readonly<Record<string, number | 'positive'>>;

/** `name` is the array column that holds it. */
export interface RollupMeasure extends Readonly<z.infer<typeof measureSchema>> {
  readonly name: string;
}

export interface MaterialRollups {
  readonly material: string;
  readonly dimensions: readonly RollupDimension[];
  readonly measures: readonly RollupMeasure[];
}

/** By the material that is counted. */
export type Rollups = ReadonlyMap<string, MaterialRollups>;

/** The numbers under which the database keeps the fields whose values are counted; never given to another one. */
export const COUNTED_FIELDS: Readonly<Record<string, number>> = { session_id: 1, reader_id: 2 };

/** A block of level N is this many times as long as one of level N - 1; a block of level 0 is a local day. */
export const BLOCK_BASE = 4;
/** The longest blocks are 64 days. */
export const TOP_LEVEL = 3;

export const ROLLUPS_FILE = 'rollups.yaml';

/** Loads what is kept counted. Throws a ManifestError that lists every fault. */
export function loadRollups(directory: string = join(__dirname, '..')): Rollups {
  const file = readYaml(join(directory, ROLLUPS_FILE), ROLLUPS_FILE, rollupsFileSchema);
  const faults = [...codeFaults(file), ...wholeFaults(file)];
  if (faults.length > 0) throw new ManifestError(ROLLUPS_FILE, faults);
  const { materials } = file;
  return frozenMap(
    Object.entries(materials).map(([material, it]) => [
      material,
      deepFreeze({
        material,
        dimensions: Object.entries(it.dimensions).map(([name, about]) => ({ name, ...about })),
        measures: Object.entries(it.measures).map(([name, about]) => ({ name, ...about })),
      }),
    ]),
  );
}

type RollupsFile = z.infer<typeof rollupsFileSchema>;

/** The database knows a dimension by its code alone, whatever the material. */
function codeFaults({ materials }: RollupsFile): readonly ManifestFault[] {
  const owners = new Map<number, string>();
  const faults: ManifestFault[] = [];
  for (const [material, { dimensions }] of Object.entries(materials)) {
    for (const [name, { code }] of Object.entries(dimensions)) {
      const path = `materials.${material}.dimensions.${name}`;
      const owner = owners.get(code);
      if (owner === undefined) owners.set(code, path);
      else faults.push({ path: `${path}.code`, message: `${code} is the code of ${owner} already` });
    }
  }
  return faults;
}

/** The rows of a material are counted as a whole once: that tells how many there are. */
function wholeFaults({ materials }: RollupsFile): readonly ManifestFault[] {
  return Object.entries(materials).flatMap(([material, { dimensions }]) => {
    const found = Object.entries(dimensions).filter(([, { keys }]) => keys.length === 0);
    if (found.length === 1) return [];
    const names = found.length === 0 ? 'none' : found.map(([name]) => name).join(', ');
    const message = `must have one dimension without keys; there are: ${names}`;
    return [{ path: `materials.${material}.dimensions`, message }];
  });
}
