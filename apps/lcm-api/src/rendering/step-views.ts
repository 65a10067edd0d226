import { masked, RequestError, withoutTexts } from '@windlass/foundation';
import type { PgObservability } from '@windlass/persistence';
import { stepViews, type StepView } from '@windlass/saga';

/** Steps on a page: more than most operations have, and a few hundred kilobytes. */
export const STEPS_A_PAGE = 1_000;

/** What is answered of an operation's steps. */
export interface ShownSteps {
  /** When the journal was removed, which is why there are none; null while it is there. */
  purgedAt: Date | null;
  steps: StepView[];
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
  return { purgedAt: read.purgedAt, steps: stepViews(read.steps, read.status, read.now).map((step) => shownStep(step, secrets)) };
}

/** Masks a step once more. Workers have masked the values that they know; names, URLs and the request may give away others. */
const shownStep = (step: StepView, secrets: readonly string[]): StepView => ({
  ...step,
  progress: withoutTexts(masked(step.progress), secrets),
  error: withoutTexts(masked(step.error), secrets),
});

/** The page that follows the step of this id, or the first one. @throws RequestError 400 for a marker that no step has */
export function stepsAfter(
  steps: readonly StepView[],
  marker: string | undefined,
): { page: StepView[]; next: string | undefined } {
  const last = marker === undefined ? -1 : steps.findIndex(({ id }) => id === marker);
  if (marker !== undefined && last === -1)
    throw new RequestError(400, 'request.invalid', `nextpage_opaque_marker: no step is ${marker}; begin at the first page`);
  const page = steps.slice(last + 1, last + 1 + STEPS_A_PAGE);
  return { page, next: last + 1 + page.length < steps.length ? page.at(-1)?.id : undefined };
}
