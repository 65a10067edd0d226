import { createHash } from 'node:crypto';
import type { PgObservability, ObservationScope } from '@windlass/persistence';
import { countSteps } from '@windlass/saga';
import { FINAL_STATES } from '@windlass/lifecycle';
import { operationNews, stepNews, type StreamEvent } from '../rendering/live-events.js';
import { failureOf, shownSteps } from '../rendering/step-views.js';
import type { QuotableSecrets } from './quotable-secrets.js';

/** What one live view tells. */
export interface ViewOptions {
  scope: ObservationScope;
  /** Steps too, not operations alone. */
  steps: boolean;
}

/**
 * Tells one client what is new to it, by comparing the record with what this client was told. The view keeps only a digest of each open operation and
 * step. A change that comes and goes between two looks is not told, the present state always is.
 */
export class LiveView {
  readonly #told = new Map<string, Map<string, string>>();
  /** Secrets that an operation's steps may quote, by its id. */
  readonly #quotable = new Map<string, readonly string[]>();
  /** Final operations whose last change is not yet behind the position. */
  readonly #over = new Set<string>();
  #position: string | undefined;
  #begun = false;
  #final: { operationState: string } | undefined;

  /** @param lastEventId the position that an earlier stream of the same scope ended at */
  constructor(
    private readonly observability: PgObservability,
    private readonly secrets: Pick<QuotableSecrets, 'of'>,
    private readonly options: ViewOptions,
    lastEventId: string | undefined,
  ) {
    this.#position = lastEventId;
  }

  /**
   * Reads the record once. The first look tells everything that is open, and `ready`; each later one tells what is new. The last event carries the
   * position: a client that has read up to there has missed nothing. `end` follows when the scope's single operation is final.
   */
  async *look(): AsyncGenerator<StreamEvent> {
    const { scope } = this.options;
    const first = !this.#begun;
    const since = this.#position === undefined ? undefined : await this.observability.since(this.#position, scope);
    const { position, operationIds } = since ?? (await this.observability.snapshot(scope));
    let held: StreamEvent | undefined;
    for (const operationId of operationIds) {
      for await (const event of this.#news(operationId)) {
        if (held !== undefined) yield held;
        held = event;
      }
    }
    if (first) {
      if (held !== undefined) yield held;
      held = { event: 'ready', data: { snapshot: since === undefined } };
    }
    if (held !== undefined) yield { ...held, id: position };
    this.#begun = true;
    this.#position = position;
    this.#forget(operationIds);
    if (this.#final !== undefined) yield { event: 'end', data: this.#final, id: endOf(position) };
  }

  /** The one operation of the scope is final, and everything about it was told. */
  get ended(): boolean {
    return this.#final !== undefined;
  }

  /** Read once for each operation: a request does not change. */
  async #secretsOf(operationId: string): Promise<readonly string[]> {
    const known = this.#quotable.get(operationId) ?? (await this.secrets.of(this.options.scope.tenant, operationId));
    this.#quotable.set(operationId, known);
    return known;
  }

  #forget(stillNear: readonly string[]): void {
    for (const id of this.#over) {
      if (stillNear.includes(id)) continue;
      this.#over.delete(id);
      this.#told.delete(id);
      this.#quotable.delete(id);
    }
  }

  async *#news(operationId: string): AsyncGenerator<StreamEvent> {
    const { scope, steps } = this.options;
    const operation = await this.observability.operation({ ...scope, operationId });
    if (operation === undefined) return;
    const told = this.#told.get(operationId) ?? new Map<string, string>();
    this.#told.set(operationId, told);
    // Read after the operation: a client that sees the operation final sees all its steps as they ended.
    const secrets = steps || operation.error !== null ? await this.#secretsOf(operationId) : [];
    const stands = operation.operationState === 'FAILED_TEMP';
    const shown = steps || stands ? (await shownSteps(this.observability, operationId, secrets)).steps : [];
    const count = steps ? countSteps(shown) : await this.observability.count(operationId);
    const news = operationNews(operation, count, secrets, stands ? failureOf(shown) : undefined);
    if (isNews(told, '', news.data)) yield news;
    for (const step of steps ? shown : []) if (isNews(told, step.id, step)) yield stepNews(operationId, step);
    if (!FINAL_STATES.includes(operation.operationState)) return;
    this.#over.add(operationId);
    if (scope.operationId !== undefined) this.#final = { operationState: operation.operationState };
  }
}

const END = '-end';
const endOf = (position: string): string => `${position}${END}`;

/** The position in a `Last-Event-ID`, and whether that stream had told everything there will ever be. */
export function positionIn(lastEventId: string | undefined): { position: string | undefined; ended: boolean } {
  const ended = lastEventId?.endsWith(END) === true;
  return { position: ended ? lastEventId.slice(0, -END.length) : lastEventId, ended };
}

function isNews(told: Map<string, string>, key: string, value: object): boolean {
  const digest = createHash('sha256').update(JSON.stringify(value)).digest('base64');
  if (told.get(key) === digest) return false;
  told.set(key, digest);
  return true;
}
