// Owns what is expected of a column: that, as a rule, all views of a visit have one value of it, or one of a handful.
// From what the manifest says of dimensions. Passes choose by it what is faster; no result depends on it.
import type { Manifest } from '../../../manifests/reader/manifest';
import { type Expression, type PlanNode, SITE_FIELD } from '../types/plan';
import { definitionOf } from './definition-of';

const VISIT = 'session_id';

/** Whether there are about as many values of the columns together as there are visits, or fewer. */
export function isOfVisit(columns: readonly string[], node: PlanNode, manifest: Manifest): boolean {
  const isFieldOfVisit = (field: string): boolean => {
    if (field === VISIT || field === SITE_FIELD) return true;
    const opens = [...manifest.materials.values()].find(({ keys }) => keys.has(field))?.keys.get(field);
    return opens !== undefined && isDimensionOfVisit(opens);
  };
  const isDimensionOfVisit = (name: string): boolean =>
    manifest.dimensions.get(name)?.sessionConstant === true;
  const isValueOfVisit = (value: Expression): boolean => {
    switch (value.kind) {
      case 'flag':
      case 'time-part':
      case 'converted':
      case 'has-rows':
      case 'occurs':
        return true;
      case 'column':
      case 'where':
        return isFieldOfVisit(value.column);
      case 'lookup':
        return value.bit !== null || isDimensionOfVisit(value.dimension);
      case 'joined-texts':
        return value.parts.every(isValueOfVisit);
      case 'computed':
        return ['constant', 'has-value', 'word'].includes(value.value.kind);
      case 'ratio':
      case 'product':
      case 'session-of-day':
        return false;
    }
  };
  return columns.every((column) => {
    const value = definitionOf(column, node);
    return value === undefined ? isFieldOfVisit(column) : isValueOfVisit(value);
  });
}
