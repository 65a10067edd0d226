import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@windlass/foundation';
import { stackNameOf, type LcmOperation } from '@windlass/lifecycle';
import type { OpenStackEmulator } from '@windlass/lab';
import type { AcceptedOperation } from '../judge/evidence.js';
import type { Random } from '../random.js';
import type { RunLog } from '../run-log.js';
import { ASPECT } from '../stage/chaos-package.js';
import type { ChaosClient, Outcome } from './chaos-client.js';
import { namesGoneVnfcs } from './gone-vnfcs.js';
import { arm } from './troubles.js';
import {
  nextAnswer,
  nextTrouble,
  nextRequestedOperation,
  withParams,
  type InstanceView,
  type Trouble,
  type RequestedOperation,
} from './walk.js';

const LOOK_EVERY = 150;
/** At most so many operations are tried to terminate an instance. */
const MAX_TURNS = 6;
const FINAL = ['COMPLETED', 'FAILED', 'ROLLED_BACK'];
/** At most so many answers are given to FAILED_TEMP: each may be lost or refused a few times. */
const MAX_ANSWERS = 20;

/** The part of a run that all customers share. */
export interface WorkloadContext {
  client: ChaosClient;
  emulator: OpenStackEmulator;
  log: RunLog;
  vnfdId: string;
  networkId: string;
  available: ReadonlySet<LcmOperation>;
  /** Takes one of the run's operations; false when none is left. */
  take(): boolean;
  /** Called at every change that a customer sees. */
  moved(): void;
  /** Whether customers are to give up operations that do not come to rest. */
  overdue(): boolean;
  accepted: AcceptedOperation[];
  /** The operations that customers gave up. */
  unfinished: string[];
  /** The passwords in requests. */
  passwords: string[];
}

/** Operates one instance, one operation after another, like an operator's careful script. */
export class Customer {
  readonly #known = new Set<string>();
  #vnfInstanceId = '';
  #step = 0;

  constructor(
    private readonly workload: WorkloadContext,
    private readonly name: string,
    private readonly random: Random,
  ) {}

  /** Asks for operations until the run has none left, or an operation does not end. */
  async work(): Promise<void> {
    this.#vnfInstanceId = await this.#create();
    while (this.workload.take()) {
      this.#step += 1;
      const random = this.random.below(`step ${this.#step}`);
      const requested = nextRequestedOperation(random, await this.#view(), this.workload.available, this.workload.networkId);
      if (!(await this.#carryOut(requested, nextTrouble(random, requested), random))) return;
    }
  }

  /** Terminates and deletes the instance, without troubles; false where an operation does not end. */
  async leave(): Promise<boolean> {
    const { client, networkId } = this.workload;
    const only = (operation: LcmOperation): ReadonlySet<LcmOperation> => new Set([operation]);
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const random = this.random.below(`leave ${turn}`);
      const view = await this.#view();
      if (view.instantiated) {
        if (!(await this.#carryOut(nextRequestedOperation(random, view, only('TERMINATE'), networkId), {}, random))) return false;
        continue;
      }
      const gone = await client.ask('DELETE', this.#path);
      this.#say(`deleted: ${describe(gone)}`);
      if (gone.kind === 'answered' && gone.status === 204) return true;
      // An instantiation may have to take over what a failed operation left, before a termination can remove it.
      if (!(await this.#carryOut(nextRequestedOperation(random, view, only('INSTANTIATE'), networkId), {}, random))) return false;
    }
    return false;
  }

  get vnfInstanceId(): string {
    return this.#vnfInstanceId;
  }

  get #path(): string {
    return `/vnflcm/v1/vnf_instances/${this.#vnfInstanceId}`;
  }

  /** Creates the instance. An instance whose answer was lost is found by its name. */
  async #create(): Promise<string> {
    const { client, vnfdId } = this.workload;
    for (;;) {
      const outcome = await client.ask('POST', '/vnflcm/v1/vnf_instances', { vnfdId, vnfInstanceName: this.name });
      if (outcome.kind === 'answered' && outcome.status === 201) return String(outcome.body.id);
      if (outcome.kind === 'answered') throw new Error(`${this.name} could not be created: ${JSON.stringify(outcome)}`);
      const [found] = await client.list(`/vnflcm/v1/vnf_instances?filter=(eq,vnfInstanceName,${this.name})`);
      if (found !== undefined) return String(found.id);
    }
  }

  async #view(): Promise<InstanceView> {
    const shown = await this.workload.client.get(this.#path);
    const info = (shown.instantiatedVnfInfo ?? {}) as JsonObject;
    const scales = (info.scaleStatus ?? []) as JsonObject[];
    const vnfcs = (info.vnfcResourceInfo ?? []) as JsonObject[];
    return {
      instantiated: shown.instantiationState === 'INSTANTIATED',
      scaleLevel: Number(scales.find(({ aspectId }) => aspectId === ASPECT.id)?.scaleLevel ?? 0),
      vnfcIds: vnfcs.map(({ id }) => String(id)),
      vnfState: info.vnfState === 'STOPPED' ? 'STOPPED' : 'STARTED',
    };
  }

  /** Carries an operation out; false when the operation did not end. */
  async #carryOut(requested: RequestedOperation, trouble: Trouble, random: Random): Promise<boolean> {
    const { emulator } = this.workload;
    const stackName = stackNameOf(this.#vnfInstanceId);
    const calm = arm(emulator, trouble, stackName, random.below('fault'));
    const slow = { kind: 'slow-stack', delayMs: random.below('slow').whole(100, 500), stackName, times: 'always' } as const;
    const slowness = emulator.faults.add(slow);
    try {
      this.#say(`${requested.operation} ${JSON.stringify(requested.body)} with ${JSON.stringify(trouble)}`);
      const operation = await this.#ask(requested, trouble);
      if (operation === undefined) return true;
      const cancelling = trouble.cancel === undefined ? undefined : this.#cancelLater(operation, trouble.cancel);
      const ended = await this.#follow(operation, requested.operation, random);
      await cancelling;
      return ended;
    } finally {
      calm();
      emulator.faults.remove(slowness);
    }
  }

  /** Asks for an operation; its id, or undefined where the request was refused. A lost answer is looked up before the next request. */
  async #ask(requested: RequestedOperation, { failing }: Trouble): Promise<string | undefined> {
    const password = `chaos-${randomBytes(12).toString('hex')}`;
    this.workload.passwords.push(password);
    const body = withParams(requested, { password, ...(failing === undefined ? {} : { failing }) });
    for (;;) {
      const outcome = await this.workload.client.ask(requested.method, `${this.#path}${requested.path}`, body);
      const id = outcome.kind === 'answered' && outcome.status === 202 ? idIn(outcome.location) : await this.#lookUp();
      if (id !== undefined) {
        this.#known.add(id);
        this.workload.accepted.push({ id, vnfInstanceId: this.#vnfInstanceId, operation: requested.operation });
        this.#say(`${requested.operation} accepted as ${id}${outcome.kind === 'lost' ? `, looked up (${outcome.why})` : ''}`);
        return id;
      }
      if (outcome.kind === 'answered' && outcome.status === 409) {
        this.#say(`${requested.operation} refused: ${JSON.stringify(outcome.body)}`);
        return undefined;
      }
      // A refresh may have removed the VNFC from the record between the look and the request.
      if (outcome.kind === 'answered' && namesGoneVnfcs(requested, outcome, await this.#view())) {
        this.#say(`${requested.operation} names a VNFC that is not there any more: ${JSON.stringify(outcome.body)}`);
        return undefined;
      }
      if (outcome.kind === 'answered') throw new Error(`${this.name}: ${requested.operation} got ${JSON.stringify(outcome)}`);
      this.#say(`${requested.operation} was not accepted (${outcome.why}); asking again`);
    }
  }

  /** Looks up the instance's operation whose answer was lost. */
  async #lookUp(): Promise<string | undefined> {
    const found = await this.workload.client.list(`/vnflcm/v1/vnf_lcm_op_occs?filter=(eq,vnfInstanceId,${this.#vnfInstanceId})`);
    return found.map(({ id }) => String(id)).find((id) => !this.#known.has(id));
  }

  async #follow(id: string, operation: LcmOperation, random: Random): Promise<boolean> {
    let seen = '';
    for (let answers = 0; ;) {
      const { state, error } = await this.#stateOf(id);
      if (state !== seen) {
        this.#say(`${operation} ${id} is ${state}${error}`);
        this.workload.moved();
      }
      seen = state;
      if (FINAL.includes(state)) return true;
      if (this.workload.overdue() && (state !== 'FAILED_TEMP' || answers > MAX_ANSWERS)) {
        this.#say(`${operation} ${id} is given up: it is still ${state}`);
        this.workload.unfinished.push(id);
        return false;
      }
      await pause(LOOK_EVERY);
      if (state === 'FAILED_TEMP') {
        const answer = nextAnswer(random, answers, operation);
        const outcome = await this.workload.client.ask('POST', `/vnflcm/v1/vnf_lcm_op_occs/${id}/${answer}`);
        this.#say(`${operation} ${id}: ${answer}: ${describe(outcome)}`);
        answers += 1;
        // The answer may have been carried out already: the operation's state is read again.
        seen = '';
      }
    }
  }

  async #cancelLater(id: string, { mode, afterMs }: NonNullable<Trouble['cancel']>): Promise<void> {
    await pause(afterMs);
    const outcome = await this.workload.client.ask('POST', `/vnflcm/v1/vnf_lcm_op_occs/${id}/cancel`, { cancelMode: mode });
    this.#say(`${id}: cancel ${mode}: ${describe(outcome)}`);
  }

  async #stateOf(id: string): Promise<{ state: string; error: string }> {
    const { operationState, error } = await this.workload.client.get(`/vnflcm/v1/vnf_lcm_op_occs/${id}`);
    return { state: String(operationState), error: error === undefined ? '' : `: ${JSON.stringify(error)}` };
  }

  #say(text: string): void {
    this.workload.log.write(`${this.name} ${this.#vnfInstanceId} ${text}`);
  }
}

const idIn = (location: string | undefined): string | undefined => location?.split('/').at(-1);

const describe = (outcome: Outcome): string =>
  outcome.kind === 'lost'
    ? `no answer (${outcome.why})`
    : `${outcome.status}${outcome.status < 300 ? '' : ` ${JSON.stringify(outcome.body)}`}`;
