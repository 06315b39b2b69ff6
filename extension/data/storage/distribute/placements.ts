// Where the tables in the `analytics` schema belong in a Citus cluster, and where they currently are.
import type { ClientBase } from 'pg';
import type { Manifest } from '../../../../manifests/reader/manifest';

/** All rows of a site on one machine, a copy on every machine, or only on the coordinator. */
export type Placement = 'by site' | 'everywhere' | 'coordinator';

export interface PlacedTable {
  readonly name: string;
  readonly wanted: Placement;
  readonly present: Placement;
}

/** Tables that are read for all sites together, even if some machines do not respond. */
const ON_COORDINATOR = ['erasure', 'erased_digest', 'rejected_file', 'stored_day', 'stored_month'];

// A table is distributed by site if every row has a site and all unique keys contain it. Tables shared by all sites are copied to
// every machine.
const TABLES = `
SELECT c.relname AS name,
       CASE WHEN c.relname = ANY($1) THEN 'everywhere'
            WHEN c.relname = ANY($2) THEN 'coordinator'
            WHEN NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'site_id' AND a.attnotnull)
              OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT EXISTS (
                         SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY(i.indkey) AND a.attname = 'site_id'))
            THEN 'coordinator' ELSE 'by site' END AS wanted
  FROM pg_class c WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' ORDER BY 1`;

// Citus also lists coordinator tables that refer to a shared table. They have neither a distribution key nor copies.
const PRESENT = `
SELECT c.relname AS name, CASE WHEN p.partmethod = 'h' THEN 'by site' ELSE 'everywhere' END AS present
  FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
 WHERE c.relnamespace = 'analytics'::regnamespace AND (p.partmethod = 'h' OR p.repmodel = 't')`;

/** `isCitus`: whether the database has the extension. */
export async function readPlacements(
  client: ClientBase,
  { dimensions }: Manifest,
  isCitus: boolean,
): Promise<readonly PlacedTable[]> {
  const shared = [...dimensions.values()].filter(({ scope }) => scope === 'shared').map(({ table }) => table);
  const { rows } = await client.query<Pick<PlacedTable, 'name' | 'wanted'>>(TABLES, [shared, ON_COORDINATOR]);
  const known = isCitus ? await client.query<Pick<PlacedTable, 'name' | 'present'>>(PRESENT) : { rows: [] };
  const present = new Map(known.rows.map((one) => [one.name, one.present]));
  return rows.map((table) => ({ ...table, present: present.get(table.name) ?? 'coordinator' }));
}
