import { InvariantError, minutes, RequestError, type Json, type JsonObject } from '@windlass/foundation';
import { KUBERNETES_DRIVER } from '@windlass/k8s-mgmt';
import { BEGIN_STEP, COORDINATOR_SERVICE, LifecycleOwner, OPERATIONS, type OpOccRecord } from '@windlass/lifecycle';
import { instanceRecord, MemoryLcmStore, opOccRecord, TENANT } from '@windlass/lifecycle/testing';
import type { DriverDescription } from '@windlass/mgmt-driver';
import {
  Coordinator,
  defaultPolicy,
  outputOf,
  parallel,
  sequence,
  type Claim,
  type WakeUp,
  type EnginePolicy,
  type ErrorReport,
  type Plan,
  type PlanNode,
  type Verdict,
  type WorkerOutcome,
} from '@windlass/saga';
import { Crash, MemoryJournal } from '@windlass/saga/testing';
import { opOccLinks, requireInstantiationState, requireTask, type OpOccTask } from '@windlass/sol003';
import type { Sample } from '../../crash-points/support/samples.js';

const INSTANCE = '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72';
const VIM = '22222222-2222-4222-8222-222222222222';
/** A policy under which only the lease ends by time. */
const POLICY: EnginePolicy = {
  ...defaultPolicy,
  lease: minutes(1),
  dispatchWithin: minutes(1_000_000),
  maxLosses: Number.POSITIVE_INFINITY,
};
/** The attempts of a step with a transient error. */
export const ATTEMPTS = 2;

const hookStep = (id: string, input: JsonObject = {}): PlanNode => ({
  kind: 'step',
  id,
  action: 'work',
  version: 1,
  service: 'driver',
  input,
});
/** The driver's plan at every hook. */
const HOOK_PLAN: Plan = { root: sequence(parallel([hookStep('a'), hookStep('b')]), hookStep('c', { of: outputOf('a') })) };

/** The description of the sample's driver, which admits the plan above. */
const DRIVER: DriverDescription = {
  contract: 2,
  driver: KUBERNETES_DRIVER,
  version: '1',
  service: 'driver',
  hooks: [],
  actions: [{ name: 'work', version: 1 }],
  parameters: {},
};

export type Answer = 'done' | 'fails' | 'fails for now' | 'dies before' | 'dies after';
/** The end of a request. `unheard`: it was carried out, and the answer was lost. `lost`: it was not carried out. */
export type Heard<T> =
  { kind: 'answered'; value: T } | { kind: 'refused'; status: number } | { kind: 'unheard' } | { kind: 'lost' };

/** A claim that a worker holds, also where the lease has ended without the worker's knowledge. */
export interface Run {
  claim: Claim;
  lost: boolean;
}

/** The real owner, sagas and engine in memory, which the test moves step by step and compares with a model. */
export class System {
  readonly journal = new MemoryJournal();
  readonly store = new MemoryLcmStore();
  readonly runs: Run[] = [];
  /** The effects that exist, as `operation step`. */
  readonly effects = new Set<string>();
  /** Whether the coordinator dies at its next commit, before or after it. */
  dies: 'before' | 'after' | undefined;
  wakeUps: WakeUp[] = [];
  current: string | undefined;
  readonly #coordinator: Coordinator;
  #operations = 0;

  constructor(
    sample: Sample,
    private readonly requests: Readonly<Record<string, JsonObject>>,
  ) {
    this.journal.atCommit = (when) => {
      if (this.dies !== when) return;
      this.dies = undefined;
      throw new Crash(when);
    };
    this.#coordinator = new Coordinator({
      journal: this.journal,
      policy: POLICY,
      owner: new LifecycleOwner(this.store, { operations: OPERATIONS }),
      wakeUpSender: { notify: (wakeUps) => Promise.resolve(void this.wakeUps.push(...wakeUps)) },
    });
    this.store.packages.set(sample.record.id, sample.record);
    this.store.instances.set(INSTANCE, instanceRecord({ id: INSTANCE, vnfPkgId: sample.record.id }));
    const access = {
      authUrl: 'http://vim',
      username: 'u',
      password: 'p',
      userDomainName: 'd',
      projectName: 'p',
      projectDomainName: 'd',
    };
    this.store.drivers.set(KUBERNETES_DRIVER, DRIVER);
    this.store.vims.push({ id: VIM, tenant: TENANT, isDefault: true, access: { ...access, verifyTls: true } });
  }

  get instantiated(): boolean {
    return this.store.instances.get(INSTANCE)?.instantiationState === 'INSTANTIATED';
  }

  get opOcc(): OpOccRecord | undefined {
    return this.current === undefined ? undefined : this.store.opOccs.get(this.current);
  }

  /** The states of the last operation that subscribers were told of. */
  get told(): string[] {
    return this.store.events.flatMap(({ subject, message }) =>
      subject.startsWith('windlass.event.operation.') && message.operationId === this.current
        ? [String(message.operationState)]
        : [],
    );
  }

  /** The tasks whose links the occurrence shows. */
  get links(): string[] {
    const { opOcc } = this;
    if (opOcc === undefined) return [];
    const limits = this.#limits();
    const { cancelMode, ...rest } = opOcc;
    const links = opOccLinks('http://x', { ...rest, ...(cancelMode === null ? {} : { cancelMode }) }, limits);
    return Object.keys(links).filter((name) => !['self', 'vnfInstance', 'grant'].includes(name));
  }

  /** Accepts a request as lcm-api does. Throws where lcm-api refuses. */
  request(operation: 'INSTANTIATE' | 'TERMINATE'): Promise<Heard<undefined>> {
    return this.#heard(() => {
      requireInstantiationState(operation, this.instantiated ? 'INSTANTIATED' : 'NOT_INSTANTIATED');
      const id = `00000000-0000-4000-8000-${String(++this.#operations).padStart(12, '0')}`;
      const request = this.requests[operation] ?? {};
      this.store.accept(opOccRecord({ id, vnfInstanceId: INSTANCE, operation, request }, this.journal.now));
      this.journal.accept({ id, kind: operation, tenant: TENANT });
      this.wakeUps.push({ operationId: id, stepId: BEGIN_STEP, epoch: 0, service: COORDINATOR_SERVICE });
      this.current = id;
      return Promise.resolve(undefined);
    });
  }

  /** Accepts a task as lcm-api does. */
  task(task: OpOccTask, mode: 'GRACEFUL' | 'FORCEFUL' = 'GRACEFUL'): Promise<Heard<undefined>> {
    return this.#heard(async () => {
      const { current, opOcc } = this;
      if (current === undefined || opOcc === undefined) throw new RequestError(404, 'op-occ.unknown', 'there is none');
      const { operation, operationState, isCancelPending } = opOcc;
      requireTask({ operation, operationState, isCancelPending }, task, this.#limits());
      if (task === 'cancel') await this.#coordinator.cancel(current, mode);
      else await this.#coordinator[task === 'fail' ? 'abandon' : task](current);
      return undefined;
    });
  }

  /** A worker hears a wake-up: the operation begins, or the worker asks for the step. Undefined when no wake-up is left. */
  async hear(): Promise<{ what: 'begun' } | { what: 'claimed'; heard: Heard<Claim | undefined> } | undefined> {
    const wakeUp = this.wakeUps.shift();
    if (wakeUp === undefined) return undefined;
    if (wakeUp.stepId === BEGIN_STEP) {
      const heard = await this.#heard(() => this.#coordinator.begin(wakeUp.operationId));
      return heard.kind === 'lost' || wakeUp.operationId !== this.current ? undefined : { what: 'begun' };
    }
    const step = this.journal.step(wakeUp.operationId, wakeUp.stepId);
    const key = `${step?.action ?? ''}@${step?.version ?? 0}`;
    const heard = await this.#heard(async () => {
      const reply = await this.#coordinator.claim({ ...wakeUp, worker: 'w', actions: [key] });
      if (reply.granted) this.runs.push({ claim: reply.claim, lost: false });
      return reply.granted ? reply.claim : undefined;
    });
    return { what: 'claimed', heard };
  }

  /** A worker carries out its claimed step, and reports the result. */
  async answer(run: Run, answer: Answer): Promise<Heard<Verdict>> {
    const { claim } = run;
    this.runs.splice(this.runs.indexOf(run), 1);
    if (answer !== 'fails' && answer !== 'dies before' && !run.lost) this.#perform(claim);
    if (answer === 'dies before' || answer === 'dies after') return { kind: 'lost' };
    const { operationId, stepId, epoch } = claim;
    const heard = await this.#heard(
      async () => (await this.#coordinator.result({ operationId, stepId, epoch, outcome: outcomeOf(claim, answer) })).verdict,
    );
    // A worker repeats its result until there is an answer.
    if (heard.kind === 'lost') this.runs.push(run);
    return heard;
  }

  /** Lets time pass beyond every lease; then a coordinator sweeps. */
  async pass(): Promise<Heard<unknown>> {
    this.journal.pass(minutes(2));
    const heard = await this.#heard(() => this.#coordinator.sweep());
    if (heard.kind !== 'lost') for (const run of this.runs) run.lost = true;
    return heard;
  }

  #perform(claim: Claim): void {
    const key = `${claim.operationId} ${claim.stepId}`;
    if (claim.phase === 'undo') this.effects.delete(key);
    else this.effects.add(key);
  }

  #limits(): { pastPivot?: string } {
    const steps = (this.current === undefined ? undefined : this.journal.steps.get(this.current)) ?? [];
    const pivot = steps.find(({ traits, everClaimed }) => traits.pivot === true && everClaimed);
    return pivot === undefined ? {} : { pastPivot: pivot.id };
  }

  async #heard<T>(ask: () => Promise<T>): Promise<Heard<T>> {
    const dying = this.dies;
    try {
      return { kind: 'answered', value: await ask() };
    } catch (error) {
      if (error instanceof RequestError) return { kind: 'refused', status: error.status };
      const crashed =
        error instanceof Crash || (error instanceof AggregateError && error.errors.every((each) => each instanceof Crash));
      if (!crashed) throw error;
      return { kind: dying === 'after' ? 'unheard' : 'lost' };
    }
  }
}

const broken: ErrorReport = { kind: 'terminal', code: 'test.broken', detail: 'it is broken', status: 500 };
const busy: ErrorReport = { kind: 'transient', code: 'test.busy', detail: 'it is busy', status: 503 };

function outcomeOf(claim: Claim, answer: Answer): WorkerOutcome {
  if (answer === 'fails') return { kind: 'failed', error: broken, retry: { attempts: ATTEMPTS, backoff: 0 } };
  if (answer === 'fails for now') return { kind: 'failed', error: busy, retry: { attempts: ATTEMPTS, backoff: 0 } };
  if (claim.action === 'ask-driver') return { kind: 'expand', plan: HOOK_PLAN };
  return { kind: 'done', output: OUTPUTS[claim.action] ?? {} };
}

const STACK = { name: `vnf-${INSTANCE}`, id: 'stack' };
const OUTPUTS: Readonly<Record<string, Json>> = {
  'create-stack': { stack: STACK },
  'read-stack': {
    stack: STACK,
    info: { flavourId: 'simple', vnfState: 'STARTED', scaleStatus: [], vnfcResourceInfo: [] },
    vnfcs: [],
    sharedCps: [],
  },
};

/** @throws InvariantError when the system has no operation */
export function currentOf(system: System): OpOccRecord {
  if (system.opOcc === undefined) throw new InvariantError('no operation was asked for');
  return system.opOcc;
}
