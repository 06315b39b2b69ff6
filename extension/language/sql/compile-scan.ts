// A scan: the only node that reads a table of rows, always restricted to its sites and time.
import { type ScanNode, SITE_FIELD } from '../types/plan';
import { type Compilation, materialTable } from './compilation';
import { isOfSites } from './condition-sql';
import { filtered, fromTable, type SelectScope } from './select-scope';
import { ident, type Sql, sql } from './sql';

/** The alias of the period that a scan inside a per-period node reads. */
export const PERIOD = 'period';

/** SELECT from the table of a material. */
export function compileScan({ material, siteIds, bounds }: ScanNode, compilation: Compilation): SelectScope {
  const { dialect, nextAlias, storage } = compilation;
  const scope = fromTable(materialTable(material, storage), nextAlias('t'));
  const ofSites = isOfSites(scope.column(SITE_FIELD), siteIds, dialect);
  const between = (field: string, start: Sql, end: Sql) =>
    filtered(scope, [ofSites, sql`${scope.column(field)} >= ${start}`, sql`${scope.column(field)} < ${end}`]);
  const { constant, instant } = dialect;
  switch (bounds.kind) {
    case 'always':
      return filtered(scope, [ofSites]);
    case 'range':
      return between(bounds.field, constant('datetime', bounds.start), constant('datetime', bounds.end));
    case 'days':
      return between(bounds.field, constant('date', bounds.first), constant('date', bounds.end));
    case 'period':
      return between(bounds.field, instant(ident(PERIOD, 'first')), instant(ident(PERIOD, 'last')));
  }
}
