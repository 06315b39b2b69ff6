import type { PassTrace } from '../language/plan/pass';
import { type PlanOptions, planTraced } from '../language/plan/plan-query';
import { inTurns } from './in-turns';
import type { prepareQuery } from './run-query';

type Prepared = Awaited<ReturnType<typeof prepareQuery>>;

export function explained({ asked, resolved, plan, sql }: Prepared) {
  const { views, use, ...rest } = resolved;
  return {
    stages: { asked, resolved: { ...rest, use: use.name, views }, plan },
    range: resolved.range,
    views: views.filter((view) => view.range !== resolved.range),
    plan,
    sql,
  };
}

/** Plans the query again, and returns what each pass did, with a reason for each that did nothing. */
export async function explainedPasses(
  { resolved }: Prepared,
  options: PlanOptions,
): Promise<readonly PassTrace[]> {
  const { passes } = await inTurns(planTraced(resolved, options));
  return passes.map((pass) =>
    pass.did === 'nothing' && pass.because.length === 0
      ? { ...pass, because: ['It changes nothing here.'] }
      : pass,
  );
}
