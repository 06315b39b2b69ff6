import { NO_TELEMETRY, type Span, type Telemetry } from '../../../host-shim/extension-api';
import type { Workers } from '../../data/storage/workers';
import { stepsInOrder } from '../../language/plan/passes/steps-in-order';
import { type PlanOptions, planQuery } from '../../language/plan/plan-query';
import { compilePlan } from '../../language/sql/compile-plan';
import type { CompiledQuery, RowBatches } from '../../language/types/compiled-query';
import type { EngineChoice } from '../../language/types/engine';
import type { Plan } from '../../language/types/plan';
import type { ResolvedQuery } from '../../language/types/resolved-query';
import { type ColumnReader, LARGE_QUOTIENT, OUT_OF_MEMORY } from '../column-reader';
import type { SiteCopy } from '../columns/refresh-site';
import { chooseEngine, DIALECTS, DIALECTS_FOR_LARGE } from '../engines';
import { inTurns } from '../in-turns';
import { readColumns } from './read-columns';
import { type RowReader, readRowBatches, readRows } from './read-rows';

export interface PlanContext extends Omit<PlanOptions, 'engine'> {
  readonly columns?: ColumnReader | undefined;
  /** Whether the columnar copy has to divide large numbers. */
  readonly hasLargeQuotients?: boolean;
}

interface Traced {
  readonly inSpan?: Telemetry['inSpan'] | undefined;
}

export interface EngineContext extends PlanContext, RowReader, Traced {
  /** Undefined if there are no workers to watch. */
  readonly workers?: Workers | undefined;
}

interface CompiledPlan {
  readonly plan: Plan;
  readonly sql: CompiledQuery;
  readonly answeredBy: EngineChoice;
  /** The sites' copies just before planning. The plan may use their stored counts, which the data versions do not identify. */
  readonly copies: readonly SiteCopy[];
}

export async function compileFor(
  answeredBy: EngineChoice,
  resolved: ResolvedQuery,
  context: PlanContext,
): Promise<CompiledPlan> {
  const { engine } = answeredBy;
  // A statement whose rows are sent as they are read cannot be replaced by another one.
  const dialects = context.hasLargeQuotients || context.isStreamed ? DIALECTS_FOR_LARGE : DIALECTS;
  const copies = context.columns?.copiesOf(resolved.scope.siteIds) ?? [];
  const plan = await inTurns(planQuery(resolved, { ...context, engine }));
  const sql = await inTurns(compilePlan(plan, { dialect: dialects[engine], storage: context.manifest }));
  return { plan, sql, answeredBy, copies };
}

export const inSpan = <Result>(
  { inSpan: traced = NO_TELEMETRY.inSpan }: Traced,
  name: string,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => traced(name, work);

type TakeFrom<Taken> = (rows: RowBatches, plan: Plan, note: Span['note']) => Promise<Taken>;

/** The copy is queried again without a pass whose lists cannot spill to disk, or with SQL that can divide large numbers. */
function another(gaveUp: string, { withoutPasses = [] }: PlanContext): Partial<PlanContext> | undefined {
  if (gaveUp === LARGE_QUOTIENT) return { hasLargeQuotients: true };
  return gaveUp === OUT_OF_MEMORY ? { withoutPasses: [...withoutPasses, stepsInOrder.name] } : undefined;
}

/** If the columnar copy cannot answer, another statement or PostgreSQL answers in the remaining time. */
export async function readFromEngine<Taken>(
  compiled: CompiledPlan,
  resolved: ResolvedQuery,
  context: EngineContext,
  take: TakeFrom<Taken>,
): Promise<CompiledPlan & { readonly taken: Taken }> {
  const { plan, sql, answeredBy, copies } = compiled;
  const { columns, workers } = context;
  const { view } = plan.output;
  if (answeredBy.engine === 'rows' || columns === undefined)
    return {
      ...compiled,
      taken: await inSpan(context, 'statement', ({ note }) => {
        note({ 'qal.engine': 'rows' });
        const taking = (rows: RowBatches) => take(rows, plan, note);
        const { scope, isVersioned } = resolved;
        const guard = workers?.guard(scope.siteIds);
        const reader = guard ? { ...context, signal: AbortSignal.any([context.signal, guard]) } : context;
        return context.isStreamed === true
          ? taking(readRowBatches(sql, view, reader))
          : readRows(sql, view, reader, taking, isVersioned ? scope.states : undefined);
      }),
    };
  const started = performance.now();
  const outcome = await inSpan(context, 'statement', ({ note }) => {
    note({ 'qal.engine': 'columns' });
    return readColumns(sql, resolved, copies, columns, context, (rows) => take(rows, plan, note));
  });
  if ('taken' in outcome) return { ...compiled, taken: outcome.taken };
  const secondsSpent = (context.secondsSpent ?? 0) + Math.floor((performance.now() - started) / 1000);
  const other = another(outcome.gaveUp, context);
  if (other !== undefined) {
    const changed = { ...context, ...other, secondsSpent };
    // The copy may have lost some of the sites meanwhile.
    const again = await compileFor(chooseEngine(resolved, context), resolved, changed);
    if (again.sql.text !== sql.text) return readFromEngine(again, resolved, changed, take);
  }
  const fallback = await compileFor({ engine: 'rows', because: outcome.gaveUp }, resolved, context);
  return readFromEngine(fallback, resolved, { ...context, secondsSpent }, take);
}
