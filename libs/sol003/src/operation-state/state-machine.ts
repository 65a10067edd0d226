import { RequestError } from '@windlass/foundation';
import { LCM_OPERATION_TYPES_V2, statesOf, type LcmOperationTypeV2 } from '../operations/operations.js';
import type { CancelModeType, InstantiationState, LcmOperationStateType } from '../types/enumerations.js';

/** Task resources of an operation occurrence (SOL003 5.4.14 to 5.4.17). */
export const OP_OCC_TASKS = ['retry', 'rollback', 'fail', 'cancel'] as const;
/** One of {@link OP_OCC_TASKS}. */
export type OpOccTask = (typeof OP_OCC_TASKS)[number];

/**
 * What can happen to an operation occurrence: the four tasks, and what comes of the work.
 * `granted` and `refused` end the preparation; `succeeded` and `failed` the work, forwards or backwards;
 * `cancelled` says that the work is confirmed to have stopped after a `cancel`.
 */
export type OpOccEvent = OpOccTask | 'granted' | 'refused' | 'succeeded' | 'failed' | 'cancelled';
/** All events. */
export const OP_OCC_EVENTS = [
  ...OP_OCC_TASKS,
  'granted',
  'refused',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies OpOccEvent[];

/**
 * SOL003 5.6.2.2, figure 5.6.2.2-1. `cancel` stays in its state, with `isCancelPending`: the state changes when the work has
 * stopped. In STARTING that is ROLLED_BACK, without ever PROCESSING; else FAILED_TEMP.
 */
const TRANSITIONS: Readonly<Record<LcmOperationStateType, Partial<Record<OpOccEvent, LcmOperationStateType>>>> = {
  STARTING: { granted: 'PROCESSING', refused: 'ROLLED_BACK', cancel: 'STARTING', cancelled: 'ROLLED_BACK' },
  PROCESSING: { succeeded: 'COMPLETED', failed: 'FAILED_TEMP', cancel: 'PROCESSING', cancelled: 'FAILED_TEMP' },
  ROLLING_BACK: { succeeded: 'ROLLED_BACK', failed: 'FAILED_TEMP', cancel: 'ROLLING_BACK', cancelled: 'FAILED_TEMP' },
  FAILED_TEMP: { retry: 'PROCESSING', rollback: 'ROLLING_BACK', fail: 'FAILED' },
  COMPLETED: {},
  FAILED: {},
  ROLLED_BACK: {},
};

/** What is peculiar to an operation. */
export interface OperationRules {
  /** Where it begins. MODIFY_INFO needs no grant, so it skips STARTING. */
  readonly initial: 'STARTING' | 'PROCESSING';
  /** The tasks it has at all; any other is 404. Whether it can be rolled back also depends on the pivot of its saga. */
  readonly tasks: readonly OpOccTask[];
  /** What the instance has to be for it to start. */
  readonly startsIn: readonly InstantiationState[];
}

/** The rules of every operation. */
export const OPERATION_RULES = Object.fromEntries(
  LCM_OPERATION_TYPES_V2.map((operation): [string, OperationRules] => [
    operation,
    { tasks: OP_OCC_TASKS, ...statesOf(operation) },
  ]),
) as Readonly<Record<LcmOperationTypeV2, OperationRules>>;

/** An event came in a state that has no such transition: 409 `op-occ.wrong-state`. */
export class StateConflict extends RequestError {
  constructor(
    readonly operation: LcmOperationTypeV2,
    readonly state: LcmOperationStateType,
    readonly event: OpOccEvent,
    detail = `${event} is not possible in ${state}; expected ${statesWith(event).join(', ')}`,
  ) {
    super(409, 'op-occ.wrong-state', detail);
  }
}

/** The states in which an event can happen. */
export const statesWith = (event: OpOccEvent): LcmOperationStateType[] =>
  (Object.keys(TRANSITIONS) as LcmOperationStateType[]).filter((state) => TRANSITIONS[state][event] !== undefined);

const isTask = (event: OpOccEvent): event is OpOccTask => (OP_OCC_TASKS as readonly string[]).includes(event);

/** What an occurrence's saga adds to the rules of its operation. */
export interface TaskLimits {
  /** Given where the step is passed that can't be undone: its name in words, such as `the deletion of the stack`. */
  readonly pastPivot?: string | undefined;
  /** The tasks it has, where they are not those of {@link OPERATION_RULES}. */
  readonly tasks?: readonly OpOccTask[] | undefined;
}

const tasksOf = (operation: LcmOperationTypeV2, { tasks }: TaskLimits): readonly OpOccTask[] =>
  tasks ?? OPERATION_RULES[operation].tasks;

/**
 * The state that an event leads to. Pure.
 * @throws RequestError 404 `op-occ.no-such-task` where the operation has no such task at all (SOL003 5.4.14.3.1)
 * @throws StateConflict 409 where the event can't happen in the state
 */
export function nextState(
  operation: LcmOperationTypeV2,
  state: LcmOperationStateType,
  event: OpOccEvent,
  limits: TaskLimits = {},
): LcmOperationStateType {
  if (isTask(event) && !tasksOf(operation, limits).includes(event)) {
    throw new RequestError(404, 'op-occ.no-such-task', `${operation} has no task ${event}`);
  }
  const next = TRANSITIONS[state][event];
  if (next === undefined) throw new StateConflict(operation, state, event);
  return next;
}

/** The state in which an operation begins. */
export const initialState = (operation: LcmOperationTypeV2): LcmOperationStateType => OPERATION_RULES[operation].initial;

/** COMPLETED, FAILED and ROLLED_BACK: nothing leads out, and the instance's lock is free. */
export const isFinal = (state: LcmOperationStateType): boolean => Object.keys(TRANSITIONS[state]).length === 0;

/** STARTING, PROCESSING and ROLLING_BACK: somebody is at work. FAILED_TEMP is neither this nor final: it waits for a person. */
export const isRunning = (state: LcmOperationStateType): boolean => TRANSITIONS[state].cancel !== undefined;

/** The members of an operation occurrence that its state machine moves. */
export interface Standing {
  readonly operation: LcmOperationTypeV2;
  readonly operationState: LcmOperationStateType;
  /** True while a running operation is asked to stop (SOL003 5.5.2.13). */
  readonly isCancelPending: boolean;
  /** Present exactly while `isCancelPending`. */
  readonly cancelMode?: CancelModeType | undefined;
}

/** Where an operation stands when it is accepted. */
export const firstStanding = (operation: LcmOperationTypeV2): Standing => ({
  operation,
  operationState: initialState(operation),
  isCancelPending: false,
});

/**
 * Where the operation stands after an event. A pending cancel ends with the state it was asked for in. Work that ends by
 * itself before it could be stopped counts as ended: `succeeded` leads to COMPLETED, whatever is pending.
 * @throws as {@link nextState}; also StateConflict for `granted` while a cancel is pending, since a cancelled STARTING never
 * becomes PROCESSING, and for `cancelled` where nobody cancelled.
 */
export function advance(standing: Standing, event: Exclude<OpOccEvent, 'cancel'>): Standing {
  const { operation, operationState, isCancelPending } = standing;
  const next = nextState(operation, operationState, event);
  if (event === 'granted' && isCancelPending) {
    throw new StateConflict(operation, operationState, event, 'the operation is cancelled and will not be processed');
  }
  if (event === 'cancelled' && !isCancelPending) {
    throw new StateConflict(operation, operationState, event, 'nobody asked to cancel the operation');
  }
  return { operation, operationState: next, isCancelPending: false };
}

/**
 * Where the operation stands after a request to cancel it. Asking again is harmless; FORCEFUL overrules GRACEFUL and is not
 * taken back.
 * @throws as {@link nextState}
 */
export function requestCancel(standing: Standing, mode: CancelModeType): Standing {
  const { operation, operationState, cancelMode } = standing;
  return {
    operation,
    operationState: nextState(operation, operationState, 'cancel'),
    isCancelPending: true,
    cancelMode: cancelMode === 'FORCEFUL' ? 'FORCEFUL' : mode,
  };
}

/** The tasks that would be accepted now: those whose links an operation occurrence shows. */
export const tasksNow = ({ operation, operationState }: Standing, limits: TaskLimits = {}): OpOccTask[] =>
  tasksOf(operation, limits).filter(
    (task) => TRANSITIONS[operationState][task] !== undefined && !(task === 'rollback' && limits.pastPivot !== undefined),
  );

/**
 * Tests that a task can be done now, before anything happens.
 * @throws as {@link nextState}; 409 `op-occ.past-pivot`, naming the pivot, where the operation can't be rolled back any more
 */
export function requireTask({ operation, operationState }: Standing, task: OpOccTask, limits: TaskLimits = {}): void {
  nextState(operation, operationState, task, limits);
  if (task === 'rollback' && limits.pastPivot !== undefined) {
    const detail = `${operation} can't be rolled back any more: it has passed ${limits.pastPivot}. Retry it, or fail it`;
    throw new RequestError(409, 'op-occ.past-pivot', detail);
  }
}

/**
 * Tests that an operation may start on an instance in its state.
 * @throws RequestError 409 `vnf-instance.wrong-state`
 */
export function requireInstantiationState(operation: LcmOperationTypeV2, state: InstantiationState): void {
  const { startsIn } = OPERATION_RULES[operation];
  if (startsIn.includes(state)) return;
  throw new RequestError(
    409,
    'vnf-instance.wrong-state',
    `${operation} needs an instance that is ${startsIn.join(' or ')}; it is ${state}`,
  );
}
