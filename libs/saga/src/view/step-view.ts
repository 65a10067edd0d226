import type { ErrorReport } from '../engine/error-report.js';
import { FINAL_STATUSES, type OperationStatus, type StepPhase, type StepRecord, type StepState } from '../engine/records.js';
import { SagaGraph } from '../engine/graph.js';

/** What a step that does not run yet waits for. */
export type WaitReason =
  /** Another step of the same operation. */
  | { for: 'step'; id: string }
  /** A place under a limit that holds over all operations: `vim:<id>`, `host:<id>`. */
  | { for: 'limit'; key: string }
  /** A place among steps of which only some run side by side. */
  | { for: 'group'; id: string; limit: number }
  /** The pause before its next attempt. */
  | { for: 'time'; until: Date }
  /** A free worker of its service. */
  | { for: 'worker'; service: string };

/** A step as people see it: nothing of what it was given or what it gave. */
export interface StepView {
  id: string;
  /** The step whose plan it stands in; null at the top. */
  parentId: string | null;
  /** 0 at the top, one more below each parent. */
  depth: number;
  action: string;
  version: number;
  service: string;
  target: string | null;
  phase: StepPhase;
  state: StepState;
  /** 0 before the first. */
  attempt: number;
  /** Known once an attempt has failed: the policy is the action's, and its worker tells it with the failure. */
  attemptsAllowed: number | null;
  owner: string | null;
  progress: string | null;
  /** The limit's key that kept the last claim out. */
  blockedOn: string | null;
  dependsOn: string[];
  waitsFor: WaitReason[];
  error: ErrorReport | null;
  startedAt: Date | null;
  endedAt: Date | null;
}

/** The steps of an operation as a tree written from top to bottom: each followed by the plan that it became, in the order of the plan. */
export function stepViews(steps: readonly StepRecord[], status: OperationStatus, now: Date): StepView[] {
  const graph = new SagaGraph(steps);
  const views: StepView[] = [];
  const write = (level: readonly StepRecord[], depth: number): void => {
    for (const step of level) {
      views.push(viewOf(step, depth, waitsFor(step, graph, status, now)));
      write(graph.childrenOf(step), depth + 1);
    }
  };
  write(
    graph.steps.filter(({ parentId }) => parentId === null),
    0,
  );
  return views;
}

/** How many steps stand where; what is `undone` counts nowhere else. */
export interface StepCount {
  total: number;
  done: number;
  undone: number;
  running: number;
  ready: number;
  waiting: number;
  failed: number;
}

/** Steps that have become a plan count as running until that is done. */
export function countSteps(steps: readonly Pick<StepRecord, 'phase' | 'state'>[]): StepCount {
  const count: StepCount = { total: steps.length, done: 0, undone: 0, running: 0, ready: 0, waiting: 0, failed: 0 };
  for (const { phase, state } of steps) {
    if (state === 'done') count[phase === 'undo' ? 'undone' : 'done']++;
    else count[state === 'expanded' ? 'running' : state]++;
  }
  return count;
}

function viewOf(step: StepRecord, depth: number, waits: WaitReason[]): StepView {
  return {
    id: step.id,
    parentId: step.parentId,
    depth,
    action: step.action,
    version: step.version,
    service: step.service,
    target: step.target,
    phase: step.phase,
    state: step.state,
    attempt: step.attempt,
    attemptsAllowed: step.error?.attemptsAllowed ?? null,
    owner: step.owner,
    progress: step.progress,
    blockedOn: step.blockedOn,
    dependsOn: step.deps,
    waitsFor: waits,
    error: step.error,
    startedAt: step.startedAt,
    endedAt: step.endedAt,
  };
}

function waitsFor(step: StepRecord, graph: SagaGraph, status: OperationStatus, now: Date): WaitReason[] {
  if (FINAL_STATUSES.includes(status) || status === 'suspended' || status === 'stopping') return [];
  if (step.state === 'ready') return [whatReadyWaitsFor(step, now)];
  if (step.state !== 'waiting') return [];
  if (status === 'rolling-back') return step.phase === 'undo' ? stepsAmong(graph.beforeUndo(step)) : [];
  const before = stepsAmong(graph.beforeStart(step));
  return before.length > 0 ? before : step.groups.map(({ id, limit }) => ({ for: 'group', id, limit }));
}

function whatReadyWaitsFor(step: StepRecord, now: Date): WaitReason {
  if (step.nextAttemptAt !== null && step.nextAttemptAt > now) return { for: 'time', until: step.nextAttemptAt };
  return step.blockedOn === null ? { for: 'worker', service: step.service } : { for: 'limit', key: step.blockedOn };
}

const stepsAmong = (steps: readonly StepRecord[]): WaitReason[] => steps.map(({ id }) => ({ for: 'step', id }));
