// Owns what is known of the rows of a plan: that no two of them are equal in some columns.
// Proved from the keys of groups and from what the manifest says of stored rows; false where it cannot be told.
import type { Manifest } from '../../../manifests/reader/manifest';
import { type PlanNode, SITE_FIELD } from '../types/plan';
import { definitionOf } from './definition-of';

/** Whether no two rows of the node are equal in all of these columns; null is equal to null. */
export function isUnique(node: PlanNode, columns: readonly string[], manifest: Manifest): boolean {
  switch (node.kind) {
    case 'scan': {
      const unique = manifest.materials.get(node.material)?.unique;
      const isOneSite = node.siteIds.length === 1 || columns.includes(SITE_FIELD);
      return unique !== undefined && columns.includes(unique) && isOneSite;
    }
    case 'extend': {
      const made = new Set(node.columns.map(({ name }) => name));
      const stored = columns.map((column) => storedOf(column, node));
      return isUnique(node.input, [...columns.filter((column) => !made.has(column)), ...stored], manifest);
    }
    case 'group': {
      const stored = new Set(columns.map((column) => storedOf(column, node.input)));
      return node.keys.every((key) => stored.has(storedOf(key, node.input)));
    }
    case 'filter':
    case 'order':
    case 'limit':
    case 'number':
      return isUnique(node.input, columns, manifest);
    case 'join': {
      const rightKeys = node.on.map(({ right }) => right);
      const ofRight = new Set(node.columns.map(({ name }) => name));
      const ofLeft = columns.filter((column) => !ofRight.has(column));
      return isUnique(node.right, rightKeys, manifest) && isUnique(node.left, ofLeft, manifest);
    }
    case 'per-period':
    case 'rollup':
    case 'union':
      return false;
  }
}

/** The column that this one is another form of, or itself. */
function storedOf(column: string, node: PlanNode): string {
  const value = definitionOf(column, node);
  return value?.kind === 'column' || value?.kind === 'flag' ? value.column : column;
}
