// Simulates the Citus functions and tables from which the program gets the state of the workers, in a database without Citus.
// Tests control what they return.
import type { Knex } from 'knex';

export interface FakeWorker {
  readonly group: number;
  readonly state: 'responds' | 'refused' | 'silent' | 'disabled';
}

/** Sites are distributed by id: site 1 is on the worker with group 1. */
export async function fakeCitus(write: Knex): Promise<(workers: readonly FakeWorker[]) => Promise<void>> {
  await write.raw(`
    CREATE TABLE public.pg_dist_node (groupid int, nodename text, nodeport int, isactive boolean, noderole text, state text);
    CREATE TABLE public.pg_dist_placement (shardid bigint, groupid int);
    INSERT INTO public.pg_dist_placement SELECT n, n FROM generate_series(0, 9) n;
    CREATE FUNCTION public.get_shard_id_for_distribution_column(text, int) RETURNS bigint LANGUAGE sql RETURN $2;
    CREATE FUNCTION public.citus_check_connection_to_node(text, int) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM public.pg_dist_node WHERE nodename = $1 AND state = 'silent') THEN
        PERFORM pg_sleep(60);
      END IF;
      RETURN NOT EXISTS (SELECT FROM public.pg_dist_node WHERE nodename = $1 AND state = 'refused');
    END
    $$;
    GRANT SELECT ON public.pg_dist_node, public.pg_dist_placement TO PUBLIC`);
  return async (workers) => {
    await write.transaction(async (trx) => {
      await trx.raw('DELETE FROM public.pg_dist_node');
      for (const { group, state } of workers)
        await trx.raw("INSERT INTO public.pg_dist_node VALUES (?, ?, 5432, ?, 'primary', ?)", [
          group,
          `10.0.0.${group}`,
          state !== 'disabled',
          state,
        ]);
    });
  };
}
