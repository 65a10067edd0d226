import type { PlannedNode, PlannedStep } from '../api/types.js';

/** A line of a plan: a step, or what the lines below it have in common. */
export interface PlanLine {
  depth: number;
  node: PlannedStep | string;
}

/** All steps from top to bottom, those of drivers' plans too. */
export const stepsIn = (node: PlannedNode): PlannedStep[] =>
  node.kind === 'step' ? [node, ...(node.hook?.plan === undefined ? [] : stepsIn(node.hook.plan))] : node.of.flatMap(stepsIn);

/** A plan as lines, as the command line writes it. */
export function planLines(node: PlannedNode, depth = 0): PlanLine[] {
  if (node.kind === 'step') {
    const pivot: PlanLine[] = node.pivot ? [{ depth, node: 'from here on nothing can be rolled back' }] : [];
    return [...pivot, { depth, node }, ...(node.hook?.plan === undefined ? [] : planLines(node.hook.plan, depth + 1))];
  }
  const of = node.of.filter((child) => stepsIn(child).length > 0);
  if (node.kind === 'sequence' || of.length < 2) return of.flatMap((child) => planLines(child, depth));
  const heading = node.limit === undefined ? 'side by side:' : `side by side, at most ${node.limit} at once:`;
  return [{ depth, node: heading }, ...of.flatMap((child) => besideLines(child, depth + 1))];
}

function besideLines(node: PlannedNode, depth: number): PlanLine[] {
  if (node.kind !== 'sequence' || stepsIn(node).length === 1) return planLines(node, depth);
  return [{ depth, node: 'one after the other:' }, ...planLines(node, depth + 1)];
}
