/** SOL003's states and tasks (5.6.2.2, 5.4.14 to 5.4.17), written down anew: nothing of the code under test is asked. */
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

/** What is known of the operation that was asked for last. */
export interface ModelledOperation {
  operation: 'INSTANTIATE' | 'TERMINATE';
  state: State;
  /** States in the order of their coming, without the first. */
  history: State[];
  /** A cancel was taken and is not carried out. */
  cancelPending: boolean;
  /** A step has failed for good: the operation stops when those in flight have ended. */
  failing: boolean;
  /** Steps in workers' hands. */
  inFlight: number;
  /** The step past which nothing is taken back was begun. */
  pastPivot: boolean;
}

/** The VNF instance as a client of the standard thinks of it. */
export interface Model {
  instantiated: boolean;
  last: ModelledOperation | undefined;
}

export type Happening =
  'nothing' | 'accepted' | 'begun' | 'claimed' | 'step done' | 'step failed' | 'step tried again' | 'time passed' | Task;

/** Whether a request for an operation is taken. */
export const mayStart = (model: Model, operation: ModelledOperation['operation']): boolean =>
  (model.last === undefined || isFinal(model.last.state)) && model.instantiated === (operation === 'TERMINATE');

/** Whether a task is taken, and its link is shown. */
export const mayDo = (operation: ModelledOperation, task: Task): boolean =>
  TASKS[operation.state].includes(task) && !(task === 'rollback' && operation.pastPivot);

/** The states in which the operation may stand after that; `inFlight`, `failing` and `cancelPending` are those after it. */
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
      // A step that never got its input did nothing: undoing it is no work.
      return state === 'ROLLING_BACK' ? ['ROLLING_BACK', 'ROLLED_BACK'] : [state];
    case 'time passed':
      return state === 'STARTING' ? ['PROCESSING'] : restOf(operation);
    default:
      return restOf(operation);
  }
}

/** Where work that goes on, or has been told to stop, may stand. */
function restOf({ state, inFlight, failing, cancelPending }: ModelledOperation): readonly State[] {
  if (state !== 'PROCESSING' && state !== 'ROLLING_BACK') return [state];
  const end: State = state === 'PROCESSING' ? 'COMPLETED' : 'ROLLED_BACK';
  if (!failing && !cancelPending) return inFlight === 0 ? [state, end] : [state];
  if (inFlight > 0) return [state];
  // A cancel that came when nothing was left to stop.
  return failing ? ['FAILED_TEMP'] : ['FAILED_TEMP', end];
}
