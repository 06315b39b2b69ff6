// The phases that find the caller's mistakes: parse, and resolve against the sites' names and values.
import { hintOf } from '../language/errors/hint-failure';
import { QueryError } from '../language/errors/query-error';
import { findShapeFaults, isRepairable, type Parsed, parseQuery } from '../language/parse/parse-query';
import { documentOf, type QueryDocument } from '../language/parse/read-document';
import type { Catalogue } from '../language/resolve/resolve-materials';
import { findNameFaults, resolveQuery } from '../language/resolve/resolve-query';
import { isJsonObject, type JsonValue } from '../language/types/json';
import type { ParsedQuery } from '../language/types/parsed-query';
import { type HintFailures, withEdits } from '../language/types/repair';
import type { Scope } from '../language/types/resolved-query';
import { finish } from '../language/types/steps';
import { inTurns } from './in-turns';

export interface UnderstandContext extends Catalogue, HintFailures {
  readonly zones: ReadonlySet<string>;
}

/** Throws a QueryError if the caller made a mistake. If the query can be corrected with certainty, the error contains the result. */
export async function understandQuery(
  document: QueryDocument,
  context: UnderstandContext,
  scopeOf: (requested: ParsedQuery) => Promise<Scope>,
) {
  const parsed = await inTurns(parseQuery(document, context));
  const { requested, fault } = parsed;
  const bound = scopeOf(requested).then(async (scope) => ({
    scope,
    ...(await inTurns(resolveQuery(requested, scope, context))),
  }));
  const { scope, resolved, faults } = await bound.catch((error) => {
    throw error instanceof QueryError ? (fault ?? error) : error;
  });
  const first = fault ?? faults[0];
  if (first === undefined) return { requested, resolved };
  const repaired = isRepairable(document)
    ? hintOf(() => repairedQuery(parsed, faults, scope, context), context)
    : undefined;
  throw repaired === undefined ? first : first.withRepaired(repaired);
}

/**
 * Finds all errors in a query: structural errors, then errors in its site or names, each in document order. Skips parts
 * that depend on a faulty part. QueryErrors from `scopeOf` are included; its other errors are thrown.
 */
export async function findFaults(
  document: QueryDocument,
  context: UnderstandContext,
  scopeOf: (requested: ParsedQuery) => Promise<Scope>,
): Promise<readonly QueryError[]> {
  const { faults, requested, leftOut } = await inTurns(findShapeFaults(document, context));
  if (requested === undefined) return faults;
  try {
    const scope = await scopeOf(requested);
    return [...faults, ...(await inTurns(findNameFaults(requested, scope, context, leftOut)))];
  } catch (error) {
    if (error instanceof QueryError) return [...faults, error];
    throw error;
  }
}

/** The query with every repair that is certain; undefined if it would still have errors. */
function repairedQuery(
  { query }: Parsed,
  faults: readonly QueryError[],
  scope: Scope,
  context: UnderstandContext,
): JsonValue | undefined {
  const edits = faults.flatMap(({ repair }) => repair?.edits ?? []);
  const repaired = withEdits(query, edits);
  return isJsonObject(repaired) && isValid(documentOf(repaired), scope, context) ? repaired : undefined;
}

function isValid(document: QueryDocument, scope: Scope, context: UnderstandContext): boolean {
  try {
    const { requested, fault } = finish(parseQuery(document, context));
    return fault === null && finish(resolveQuery(requested, scope, context)).faults.length === 0;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}
