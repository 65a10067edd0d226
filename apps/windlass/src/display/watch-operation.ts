import { hours, seconds, TransientError, waitUntil, type JsonObject } from '@windlass/foundation';
import type { ApiClient, StepView } from '../client/api-client.js';
import type { OperationDisplay } from './operation-display.js';
import type { OperationHead } from './step-tree.js';

/** Where an operation stays until a person says something, or for good. */
export const RESTS: readonly string[] = ['COMPLETED', 'FAILED_TEMP', 'FAILED', 'ROLLED_BACK'];

/**
 * Shows an operation by its live events until it comes to rest, and returns it. A stream that ends is taken up again where it ended,
 * whichever replica answers.
 * @throws RequestError where there is no such operation; TransientError where nobody answers for an hour
 */
export async function watchOperation(
  api: ApiClient,
  id: string,
  display: OperationDisplay,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonObject> {
  const seen = new SeenOperation(display);
  let lastEventId: string | undefined;
  return waitUntil(
    async (last) => {
      try {
        for await (const event of api.events(`/windlass/v1/operations/${id}/events`, lastEventId, signal)) {
          lastEventId = event.lastEventId ?? lastEventId;
          if (seen.take(event.event, event.data)) break;
        }
        if (!seen.atRest) return undefined;
        // What the record says in the end, with the steps as they ended.
        const opOcc = await api.get<JsonObject & OperationHead>(`/vnflcm/v1/vnf_lcm_op_occs/${id}`);
        if (!RESTS.includes(opOcc.operationState)) return undefined;
        seen.end(opOcc, await api.pages<StepView>(`/windlass/v1/operations/${id}/steps`));
        return opOcc;
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        last(error.message);
        display.note(`${error.message}; trying again`);
        return undefined;
      }
    },
    { for: `operation ${id} to come to rest`, within: hours(24), every: seconds(0.3), growth: 1.5, atMost: seconds(3), signal },
  );
}

/** What a person should know of an operation although it is no error. */
export async function operationWarnings(api: ApiClient, id: string): Promise<string[]> {
  const { warnings = [] } = await api.get<{ warnings?: string[] }>(`/windlass/v1/operations/${id}`);
  return warnings;
}

/** An operation as its events tell it. Steps that are new come in the order of the tree. */
class SeenOperation {
  readonly #steps = new Map<string, StepView>();
  #head: OperationHead | undefined;

  constructor(private readonly display: OperationDisplay) {}

  get atRest(): boolean {
    return this.#head !== undefined && RESTS.includes(this.#head.operationState);
  }

  /** @param data of the event, JSON @returns whether nothing more is to be waited for */
  take(event: string, data: string): boolean {
    if (event === 'operation') this.#head = JSON.parse(data) as OperationHead;
    else if (event === 'step') this.#noteStep(JSON.parse(data) as StepView);
    if (this.#head !== undefined) this.display.show(this.#head, this.#inOrder());
    return event === 'end' || this.atRest;
  }

  #noteStep(step: StepView): void {
    this.#steps.set(step.id, step);
  }

  end(opOcc: OperationHead, steps: readonly StepView[]): void {
    this.display.show(opOcc, steps);
  }

  #inOrder(): StepView[] {
    const below = new Map<string | null, StepView[]>();
    for (const step of this.#steps.values()) {
      const siblings = below.get(step.parentId);
      if (siblings === undefined) below.set(step.parentId, [step]);
      else siblings.push(step);
    }
    const walk = (parent: string | null): StepView[] => (below.get(parent) ?? []).flatMap((step) => [step, ...walk(step.id)]);
    return walk(null);
  }
}
