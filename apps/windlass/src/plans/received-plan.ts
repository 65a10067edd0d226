/** What an operation would do, as `/windlass/v1/plans/...` shows it. */
export interface ReceivedPlan {
  operation: string;
  vnfInstanceId: string;
  warnings: readonly string[];
  pointOfNoReturn: string | null;
  vms: { toCome: readonly string[]; toGo: readonly string[] };
  /** Absent in the answers of older releases. */
  volumes?: { toGo: readonly string[] };
  estimate: { seconds: number; isLowerBound: boolean };
  plan: PlannedNode;
}

/** A step of it, or several: one after the other, or side by side. */
export type PlannedNode =
  | PlannedStep
  | { kind: 'sequence'; of: readonly PlannedNode[] }
  | { kind: 'parallel'; of: readonly PlannedNode[]; limit?: number };

export interface PlannedStep {
  kind: 'step';
  id: string;
  action: string;
  service: string;
  target: string | null;
  vms: readonly { name: string; isToCome: boolean }[];
  vim: string | null;
  /** Steps that it waits for beside those that its place makes it wait for. */
  after?: readonly string[];
  undoable: boolean;
  pivot: boolean;
  duration: { seconds: number; basedOn: number } | null;
  hook?: { driver: string; plan?: PlannedNode; refusal?: { code: string; detail: string } };
}

/** All steps from top to bottom, those of drivers' plans too. */
export const stepsIn = (node: PlannedNode): PlannedStep[] =>
  node.kind === 'step' ? [node, ...(node.hook?.plan === undefined ? [] : stepsIn(node.hook.plan))] : node.of.flatMap(stepsIn);
