import { setTimeout as pause } from 'node:timers/promises';
import { millis, minutes, TransientError, waitUntil, type JsonObject } from '@windlass/foundation';
import type { ApiClient, StepView } from '@windlass/windlass';

/** An operation that was asked for under load, and its end. */
export interface LoadedOperation {
  kind: string;
  path: string;
  /** The part of the test that was going on at the request. */
  during: string;
  /** Milliseconds from the request to its 202. */
  acceptedIn: number;
  /** The longest time in which no step of the operation began or ended, in milliseconds. */
  stoodStill: number;
  /** The steps before and after that time. */
  where: string;
}

/** An operation of one VM takes a second. An operation that takes this long is reported, and the customers go on. */
const ENDS_WITHIN = minutes(3);
const PAUSE = millis(200);
const RESTS = ['COMPLETED', 'FAILED', 'FAILED_TEMP', 'ROLLED_BACK'];

/** The tasks that each customer asks for, again and again. */
export type Round = readonly (readonly [task: string, body: JsonObject])[];

const NETWORK = {
  id: 'net',
  resourceId: 'net0',
  extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
};

/** The chaos driver's parameters, which each request of {@link WITH_HOOKS} has. */
export const PARAMS = { additionalParams: { chaos: { password: 'of no use' } } };

/** A round for the chaos suite's package, whose hooks run jobs. */
export const WITH_HOOKS: Round = [
  ['instantiate', { flavourId: 'default', instantiationLevelId: 'one', extVirtualLinks: [NETWORK], ...PARAMS }],
  ['scale', { type: 'SCALE_OUT', aspectId: 'members', numberOfSteps: 1, ...PARAMS }],
  ['terminate', { terminationType: 'FORCEFUL', ...PARAMS }],
];

/** Customers who ask for operations until they are told to stop. Each customer has its own instance, and finishes at least one round. */
export class Load {
  readonly operations: LoadedOperation[] = [];
  /** The part of the test that goes on now, for the findings. */
  during = 'before';
  #leaves = false;
  readonly #refusals: unknown[] = [];
  readonly #customers: Promise<void>[];

  constructor(
    /** `api` is read before each request: by then, another process may serve the API. */
    private readonly of: { readonly api: ApiClient },
    private readonly vnfdId: string,
    customers: number,
    private readonly round: Round,
  ) {
    this.#customers = Array.from({ length: customers }, (_, n) => this.#customer(n));
    for (const one of this.#customers) one.catch((error: unknown) => this.#refusals.push(error));
  }

  /** Checks that all customers go on. @throws the error of the first customer that failed */
  goesOn(): void {
    if (this.#refusals.length > 0) throw this.#refusals[0];
  }

  /** A line with the figures of the load, for people. */
  get told(): string {
    const accepted = this.operations.map(({ acceptedIn }) => acceptedIn).sort((one, other) => one - other);
    const at = (share: number) => Math.round(accepted[Math.floor((accepted.length - 1) * share)] ?? 0);
    const longest = Math.max(...this.operations.map(({ stoodStill }) => stoodStill));
    return `${accepted.length} operations, accepted in ${at(0.5)} ms (median; ${at(0.95)} ms p95); the longest that one stood still: ${longest} ms`;
  }

  /** Waits until every customer has finished its round and deleted its instance. */
  async ended(): Promise<void> {
    this.#leaves = true;
    await Promise.all(this.#customers);
  }

  async #customer(n: number): Promise<void> {
    const instances = '/vnflcm/v1/vnf_instances';
    await pause(PAUSE * n);
    do {
      const { id } = await this.of.api.post<{ id: string }>(instances, {
        vnfdId: this.vnfdId,
        vnfInstanceName: `customer-${n}`,
      });
      for (const [task, body] of this.round) await this.#operation(`${instances}/${id}`, task, body);
      await this.of.api.delete(`${instances}/${id}`);
    } while (!this.#leaves);
  }

  async #operation(vnf: string, task: string, body: JsonObject): Promise<void> {
    const { during, of } = this;
    const asked = performance.now();
    const path = await of.api.accept(`${vnf}/${task}`, body);
    const acceptedIn = performance.now() - asked;
    const look = (): Promise<JsonObject> => patiently(() => of.api.get(path));
    let seen = await look();
    const until = performance.now() + ENDS_WITHIN;
    while (!RESTS.includes(String(seen.operationState)) && performance.now() < until) {
      await pause(PAUSE);
      // Each look asks the API that answers now.
      seen = await look();
    }
    const steps = await patiently(() => of.api.get<StepView[]>(`/windlass/v1/operations/${path.split('/').at(-1) ?? ''}/steps`));
    if (seen.operationState !== 'COMPLETED') {
      const errors = steps.flatMap(({ id, state, error }) => (state === 'done' ? [] : [{ id, state, error }]));
      throw new Error(`${task} ${path} is ${String(seen.operationState)} (asked for while ${during}): ${JSON.stringify(errors)}`);
    }
    this.operations.push({ kind: task, path, during, acceptedIn, ...standstill(seen, steps) });
  }
}

/** Makes a look again when the API answers 503: no operation waits for the look. */
const patiently = <T>(look: () => Promise<T>): Promise<T> =>
  waitUntil(
    async (seen) => {
      try {
        return await look();
      } catch (error) {
        if (!(error instanceof TransientError)) throw error;
        seen(error.message);
        return undefined;
      }
    },
    { for: 'the API to answer a look', within: minutes(1), every: PAUSE },
  );

/** The longest time between two begins or ends of an operation's steps: a dead or missing service makes it longer. */
function standstill(occurrence: JsonObject, steps: readonly StepView[]): { stoodStill: number; where: string } {
  const parents = new Set(steps.map(({ parentId }) => parentId));
  const moments = steps
    .filter(({ id }) => !parents.has(id))
    .flatMap(({ id, startedAt, endedAt }) => [
      { what: `${id} began`, at: Date.parse(startedAt ?? '') },
      { what: `${id} ended`, at: Date.parse(endedAt ?? '') },
    ]);
  const all = [
    { what: 'accepted', at: Date.parse(String(occurrence.startTime)) },
    ...moments.filter(({ at }) => Number.isFinite(at)),
    { what: 'completed', at: Date.parse(String(occurrence.stateEnteredTime)) },
  ].sort((one, other) => one.at - other.at);
  const gaps = all
    .slice(1)
    .map(({ what, at }, n) => ({ stoodStill: at - (all[n]?.at ?? at), where: `${all[n]?.what ?? ''}, ${what}` }));
  return gaps.reduce((most, gap) => (gap.stoodStill > most.stoodStill ? gap : most), { stoodStill: 0, where: '' });
}
