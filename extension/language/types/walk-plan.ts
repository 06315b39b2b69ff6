// Walks and rewrites plans. No other file knows where the inputs of a node are.
import type { ExtendNode, FilterNode, PlanNode } from './plan';

/** Replaces each input by `map(input)`, left before right; returns the same object if no input changes. */
export function mapInputs(node: PlanNode, map: (input: PlanNode) => PlanNode): PlanNode {
  switch (node.kind) {
    case 'scan':
    case 'unique-counts':
      return node;
    case 'join': {
      const left = map(node.left);
      const right = map(node.right);
      return left === node.left && right === node.right ? node : { ...node, left, right };
    }
    case 'extend':
    case 'filter':
    case 'number':
    case 'group':
    case 'per-period':
    case 'order':
    case 'limit': {
      const input = map(node.input);
      return input === node.input ? node : { ...node, input };
    }
  }
}

/** The inputs of a node, left before right. */
export function inputsOf(node: PlanNode): readonly PlanNode[] {
  const inputs: PlanNode[] = [];
  mapInputs(node, (input) => {
    inputs.push(input);
    return input;
  });
  return inputs;
}

type Kind = PlanNode['kind'];

type NodeOf = { readonly [K in Kind]: Extract<PlanNode, { readonly kind: K }> };

/**
 * One visitor per kind to rewrite; undefined keeps the node. `above` has the ancestors before they are rewritten, the
 * nearest one last.
 */
export type NodeRewrites<Context> = {
  readonly [K in Kind]?: (
    node: NodeOf[K],
    context: Context,
    above: readonly PlanNode[],
  ) => PlanNode | undefined;
};

/** Rewrites a plan from the leaves up, so visitors see rewritten inputs; returns the same object if nothing changes. */
export function rewritePlan<Context>(
  node: PlanNode,
  rewrites: NodeRewrites<Context>,
  context: Context,
  above: readonly PlanNode[] = [],
): PlanNode {
  const path = [...above, node];
  const mapped = mapInputs(node, (input) => rewritePlan(input, rewrites, context, path));
  return rewriteNode(mapped.kind, mapped, rewrites, context, above);
}

function rewriteNode<K extends Kind, Context>(
  kind: K,
  node: NodeOf[K],
  rewrites: NodeRewrites<Context>,
  context: Context,
  above: readonly PlanNode[],
): PlanNode {
  return rewrites[kind]?.(node, context, above) ?? node;
}

/** The extends and filters on top of a node, top first, and the node below. None of them multiplies or merges rows. */
interface RowSteps {
  readonly steps: readonly (ExtendNode | FilterNode)[];
  readonly base: PlanNode;
}

export function rowSteps(node: PlanNode): RowSteps {
  if (node.kind !== 'extend' && node.kind !== 'filter') return { steps: [], base: node };
  const { steps, base } = rowSteps(node.input);
  return { steps: [node, ...steps], base };
}
