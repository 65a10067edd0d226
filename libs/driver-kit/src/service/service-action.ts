import { bindActions, type Action, type ActionContract, type BoundAction, type StepRun } from '@windlass/saga';

/** An action of a service, as its drivers describe it and as its workers run it: one list of them is both. */
export interface ServiceAction<Ports> extends Pick<ActionContract, 'name' | 'version' | 'accepts'> {
  bound: (ports: Ports) => BoundAction[];
}

/** An action whose work is given such a context. */
export const serviceAction = <C, Input, Output, Ports>(
  action: Action<C, Input, Output>,
  contextOf: (run: StepRun<Input>, ports: Ports) => C,
): ServiceAction<Ports> => ({
  name: action.name,
  version: action.version,
  ...(action.accepts === undefined ? {} : { accepts: action.accepts }),
  bound: (ports) => bindActions([action], (run, work) => work(contextOf(run, ports))),
});

/** A list of actions, bound to what they reach out to. */
export const boundTo = <Ports>(actions: readonly ServiceAction<Ports>[], ports: Ports): BoundAction[] =>
  actions.flatMap((action) => action.bound(ports));
