// POST check: every error in a query with its position and repair, and the columns of its answer. Nothing is run or recorded;
// only the site and the names that it defines are read from the database.
import { z } from 'zod';
import type { HostRequest } from '../../host-shim/extension-api';
import type { Analytics } from '../api/analytics';
import { answer } from '../api/routes/answer';
import { queryContext } from '../api/routes/query-route';
import { queryInput } from '../api/schemas/api-routes';
import type { QueryError } from '../language/errors/query-error';
import { documentSteps } from '../language/parse/read-document';
import type { Contract } from '../language/types/contract';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { ResolvedCalc, ResolvedQuery, ResolvedView } from '../language/types/resolved-query';
import { faultsOf } from '../query/check-query';
import { inTurns } from '../query/in-turns';
import { loadScope } from '../query/load-scope';
import { understandQuery } from '../query/understand-query';
import type { PageRoute } from './page-route';
import type { AnswerColumn, CheckedFault, CheckedQuery } from './shared-types/query-check';

export function checkRoute(analytics: Analytics): PageRoute {
  return {
    path: '/check',
    methods: ['POST'],
    summary: 'Everything wrong with a query, and the columns of its answer.',
    input: z.object(queryInput),
    capability: 'read',
    handle: (request) => answer(analytics, request, (contract) => check(analytics, request, contract)),
  };
}

async function check(
  analytics: Analytics,
  { user, signal, body }: HostRequest,
  contract: Contract,
): Promise<CheckedQuery> {
  const context = await queryContext(analytics, contract, { user, signal });
  const document = await inTurns(documentSteps(body, analytics.host.clock()));
  const scopeOf = (parsed: ParsedQuery) => loadScope(parsed, context);
  const { version } = contract;
  const faults = await faultsOf(document, context);
  if (faults.length > 0) return { version, faults: faults.map(faultOf), columns: [] };
  const { resolved } = await understandQuery(document, context, scopeOf);
  return { version, faults: [], columns: columnsOf(resolved) };
}

const faultOf = ({ code, message, at, hint, repair }: QueryError): CheckedFault => ({
  code,
  message,
  at,
  hint,
  repair,
});

const COUNTED: AnswerColumn = { name: 'count', type: 'int', measure: 'additive', time: null };

function columnsOf({ use, views, countOnly }: ResolvedQuery): readonly AnswerColumn[] {
  if (countOnly) return [COUNTED];
  return use.output.map(({ name, type }, index) => ({ name, type, ...meaningOf(use, index, views) }));
}

type Meaning = Pick<AnswerColumn, 'measure' | 'time'>;

/** In the output, kept columns come before calculated ones. */
function meaningOf(view: ResolvedView, index: number, views: readonly ResolvedView[]): Meaning {
  const kept = view.keep[index];
  if (kept === undefined) {
    const calc = view.calc?.[index - view.keep.length];
    return { measure: calc !== undefined && isAdditive(calc) ? 'additive' : 'other', time: null };
  }
  const { origin, type, name } = kept;
  if (origin.kind === 'output') {
    const earlier = views.find((one) => one.name === origin.view);
    const at = earlier?.output.findIndex((one) => one.name === name) ?? -1;
    if (earlier === undefined || at < 0) throw new Error(`The view ${origin.view} has no column ${name}.`);
    const meaning = meaningOf(earlier, at, views);
    // In a view with a calc, a kept column is always a grouping column.
    return view.calc === null ? meaning : { ...meaning, measure: null };
  }
  if (origin.kind === 'time-part') return { measure: null, time: origin.part };
  return { measure: null, time: type === 'datetime' ? 'instant' : type === 'date' ? 'date' : null };
}

const isAdditive = ({ value }: ResolvedCalc): boolean =>
  value.kind === 'value' && (value.value.function === 'COUNT' || value.value.function === 'SUM');
