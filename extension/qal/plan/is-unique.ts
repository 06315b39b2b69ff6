// Owns what is known of the rows of a plan: that no two of them are equal in some columns.
// Proved from the keys of groups and from what the manifest says of stored rows; false where it cannot be told.
import type { Manifest } from '../../../manifests/reader/manifest';
import { type PlanNode, SITE_FIELD } from '../types/plan';
import { definitionOf } from './definition-of';

/** Whether no two rows of the node are equal in all of these columns, none of which is null. */
export function isUnique(node: PlanNode, columns: readonly string[], manifest: Manifest): boolean {
  switch (node.kind) {
    case 'scan': {
      const unique = manifest.materials.get(node.material)?.unique;
      const isOneSite = node.siteIds.length === 1 || columns.includes(SITE_FIELD);
      return unique !== undefined && columns.includes(unique) && isOneSite;
    }
    case 'extend': {
      const stored = columns.flatMap((column) => {
        const value = definitionOf(column, node);
        return value?.kind === 'column' ? [value.column] : [];
      });
      return isUnique(node.input, [...columns, ...stored], manifest);
    }
    case 'group':
      return node.keys.every((key) => columns.includes(key));
    case 'filter':
    case 'order':
    case 'limit':
    case 'number':
      return isUnique(node.input, columns, manifest);
    case 'join':
    case 'per-period':
    case 'rollup':
    case 'union':
      return false;
  }
}
