import { masked, RequestError, withoutTexts } from '@windlass/foundation';
import { askDriverAction } from '@windlass/lifecycle';
import type { PgObservability } from '@windlass/persistence';
import { stepViews, type StepView } from '@windlass/saga';
import { stepMachines, type ShownMachine, type StepMachines } from './step-machines.js';

/** Steps on a page: more than most operations have, and a few hundred kilobytes. */
export const STEPS_A_PAGE = 1_000;

/** A step as it is answered: with the machines that it works on. */
export type ShownStep = StepView & StepMachines;

/** What is answered of an operation's steps. */
export interface ShownSteps {
  /** When the journal was removed, which is why there are none; null while it is there. */
  purgedAt: Date | null;
  steps: ShownStep[];
}

/**
 * All steps of an operation as they may be shown, as a tree from top to bottom. None for an operation that is not there.
 * @param secrets of the operation's request, which a careless worker may quote
 */
export async function shownSteps(
  observability: PgObservability,
  operationId: string,
  secrets: readonly string[],
): Promise<ShownSteps> {
  const read = await observability.steps(operationId);
  if (read === undefined) return { purgedAt: null, steps: [] };
  const machines = stepMachines(read.steps, await observability.machines(operationId));
  const shown = stepViews(read.steps, read.status, read.now).map((step) => shownStep({ ...step, ...machines(step.id) }, secrets));
  return { purgedAt: read.purgedAt, steps: shown };
}

/** Masks a step once more. Workers have masked the values that they know; names, URLs and the request may give away others. */
const shownStep = (step: ShownStep, secrets: readonly string[]): ShownStep => ({
  ...step,
  progress: withoutTexts(masked(step.progress), secrets),
  error: withoutTexts(masked(step.error), secrets),
});

/** What an operation stands at: the step that failed, and the machines on which it did. */
export interface ShownFailure extends Pick<ShownStep, 'action' | 'target' | 'machineCount'> {
  stepId: string;
  /** As a step's `failedOn`. */
  machines: ShownMachine[];
}

/** The first step that failed; one that asked a driver only where no step of its plan did. */
export function failureOf(steps: readonly ShownStep[]): ShownFailure | undefined {
  const failed = steps.filter(({ state }) => state === 'failed');
  const step = failed.find(({ action }) => action !== askDriverAction.name) ?? failed[0];
  if (step === undefined) return undefined;
  const { id: stepId, action, target, machineCount, failedOn: machines } = step;
  return { stepId, action, target, machines, machineCount };
}

/** The page that follows the step of this id, or the first one. @throws RequestError 400 for a marker that no step has */
export function stepsAfter(
  steps: readonly ShownStep[],
  marker: string | undefined,
): { page: ShownStep[]; next: string | undefined } {
  const last = marker === undefined ? -1 : steps.findIndex(({ id }) => id === marker);
  if (marker !== undefined && last === -1)
    throw new RequestError(400, 'request.invalid', `nextpage_opaque_marker: no step is ${marker}; begin at the first page`);
  const page = steps.slice(last + 1, last + 1 + STEPS_A_PAGE);
  return { page, next: last + 1 + page.length < steps.length ? page.at(-1)?.id : undefined };
}
