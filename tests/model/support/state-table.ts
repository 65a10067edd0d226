/** SOL003's states and tasks (5.6.2.2, 5.4.14 to 5.4.17), written down apart from the code under test. */
export type State = 'STARTING' | 'PROCESSING' | 'COMPLETED' | 'FAILED_TEMP' | 'FAILED' | 'ROLLING_BACK' | 'ROLLED_BACK';
export type Task = 'retry' | 'rollback' | 'fail' | 'cancel';

export const TASKS: Readonly<Record<State, readonly Task[]>> = {
  STARTING: ['cancel'],
  PROCESSING: ['cancel'],
  ROLLING_BACK: ['cancel'],
  FAILED_TEMP: ['retry', 'rollback', 'fail'],
  COMPLETED: [],
  FAILED: [],
  ROLLED_BACK: [],
};

export const isFinal = (state: State): boolean => TASKS[state].length === 0;

/** The last operation, as a client of the standard knows it. */
export interface ModelledOperation {
  operation: 'INSTANTIATE' | 'TERMINATE';
  state: State;
  /** The states so far in their order, without the first. */
  history: State[];
  /** A cancel was accepted and is not carried out yet. */
  cancelPending: boolean;
  /** A step has failed for good: the operation stops when the steps in flight have ended. */
  failing: boolean;
  /** The number of steps that workers hold. */
  inFlight: number;
  /** The pivot has begun: nothing is undone from then on. */
  pastPivot: boolean;
}

/** The VNF instance as a client of the standard knows it. */
export interface Model {
  instantiated: boolean;
  last: ModelledOperation | undefined;
}

export type Happening =
  'nothing' | 'accepted' | 'begun' | 'claimed' | 'step done' | 'step failed' | 'step tried again' | 'time passed' | Task;

/** Whether a request for an operation is accepted. */
export const mayStart = (model: Model, operation: ModelledOperation['operation']): boolean =>
  (model.last === undefined || isFinal(model.last.state)) && model.instantiated === (operation === 'TERMINATE');

/** Whether a task is accepted, and its link shown. */
export const mayDo = (operation: ModelledOperation, task: Task): boolean =>
  TASKS[operation.state].includes(task) && !(task === 'rollback' && operation.pastPivot);

/** The states that the operation may have after a happening; `inFlight`, `failing` and `cancelPending` are as after it. */
export function statesAfter(operation: ModelledOperation, happening: Happening): readonly State[] {
  const { state } = operation;
  switch (happening) {
    case 'nothing':
      return [state];
    case 'accepted':
      return ['STARTING'];
    case 'begun':
      return state === 'STARTING' ? ['PROCESSING'] : [state];
    case 'retry':
      return ['PROCESSING'];
    case 'rollback':
      return ['ROLLING_BACK', 'ROLLED_BACK'];
    case 'fail':
      return ['FAILED'];
    case 'cancel':
      return state === 'STARTING' ? ['ROLLED_BACK'] : restOf(operation);
    case 'claimed':
      // A step that never got its input did nothing: its undo is no work.
      return state === 'ROLLING_BACK' ? ['ROLLING_BACK', 'ROLLED_BACK'] : [state];
    case 'time passed':
      return state === 'STARTING' ? ['PROCESSING'] : restOf(operation);
    default:
      return restOf(operation);
  }
}

/** The states that an operation may have which works, or was told to stop. */
function restOf({ state, inFlight, failing, cancelPending }: ModelledOperation): readonly State[] {
  if (state !== 'PROCESSING' && state !== 'ROLLING_BACK') return [state];
  const end: State = state === 'PROCESSING' ? 'COMPLETED' : 'ROLLED_BACK';
  if (!failing && !cancelPending) return inFlight === 0 ? [state, end] : [state];
  if (inFlight > 0) return [state];
  // The cancel may have come when nothing was left to stop.
  return failing ? ['FAILED_TEMP'] : ['FAILED_TEMP', end];
}
