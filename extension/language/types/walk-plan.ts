// Functions that walk and rewrite plans.
import type { ExtendNode, FilterNode, PlanNode } from './plan';

/** Replaces each input with `map(input)`, left before right. Returns the same object if no input changes. */
export function mapInputs(node: PlanNode, map: (input: PlanNode) => PlanNode): PlanNode {
  switch (node.kind) {
    case 'scan':
    case 'unique-counts':
    case 'calendar':
      return node;
    case 'fill': {
      const input = map(node.input);
      const calendar = map(node.calendar);
      return input === node.input && calendar === node.calendar ? node : { ...node, input, calendar };
    }
    case 'join': {
      const left = map(node.left);
      const right = map(node.right);
      return left === node.left && right === node.right ? node : { ...node, left, right };
    }
    case 'steps': {
      const inputs = node.inputs.map(map);
      return inputs.every((input, index) => input === node.inputs[index]) ? node : { ...node, inputs };
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

/** The node type of each kind. */
export type NodeOf = { readonly [K in Kind]: Extract<PlanNode, { readonly kind: K }> };

/** A visitor that returns undefined keeps the node. `above` lists the original ancestors, nearest last. */
export type NodeRewrites<Context> = {
  readonly [K in Kind]?: (
    node: NodeOf[K],
    context: Context,
    above: readonly PlanNode[],
  ) => PlanNode | undefined;
};

/** Rewrites a plan from the leaves up. Returns the same object if nothing changes. */
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

/** Splits off the extends and filters on top of a node, topmost first. They neither multiply nor merge rows. */
export function rowSteps(node: PlanNode): {
  readonly steps: readonly (ExtendNode | FilterNode)[];
  readonly base: PlanNode;
} {
  if (node.kind !== 'extend' && node.kind !== 'filter') return { steps: [], base: node };
  const { steps, base } = rowSteps(node.input);
  return { steps: [node, ...steps], base };
}
