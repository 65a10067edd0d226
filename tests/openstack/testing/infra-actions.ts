import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { InvariantError, millis, seconds, type Json, type JsonObject } from '@windlass/foundation';
import { infraActions, openCluster, SCRIPT_SETTINGS, VimSessions, type PackageReader } from '@windlass/infra-driver';
import type { VimAccess } from '@windlass/lifecycle';
import { STACK_PACE } from '@windlass/openstack';
import { causeOf, Present, type BoundAction, type StepPhase, type StepRun } from '@windlass/saga';
import type { ContractRun } from './contract-vim.js';

const NO_PACKAGES: PackageReader = { open: () => Promise.resolve({ size: 0, bytes: () => Readable.from([]) }) };

/** The infra driver's actions on the VIM of a contract run, claimed by the test instead of a worker. */
export class Actions {
  /** Sessions with quick looks: tests see by the progress that Heat has begun, so the first look must come before an update of the emulator ends. */
  readonly #sessions = new VimSessions(undefined, {
    ...STACK_PACE,
    first: millis(50),
    progressFrom: millis(0),
  });
  readonly #actions: BoundAction[];
  /** The id of the operation to which runs belong. */
  operationId = randomUUID();

  constructor(
    private readonly run: ContractRun,
    packages: PackageReader = NO_PACKAGES,
  ) {
    const settings = {
      stackWithin: run.wait.within,
      absentFor: seconds(1),
      objectsWithin: seconds(5),
      imageMovesWithin: seconds(2),
      ...SCRIPT_SETTINGS,
    };
    this.#actions = infraActions(this.#sessions, packages, settings, openCluster(undefined));
  }

  /** Runs an action as a worker does: check, then apply. */
  async do(name: string, input: JsonObject, options: RunOptions = {}): Promise<Json | undefined> {
    const action = this.#find(name);
    const run = this.#runOf('do', input, options);
    return asFailed(async () => {
      const there = await action.check?.(run);
      if (there instanceof Present) return there.output;
      if (there === true) return undefined;
      return (await action.apply(run)) as Json | undefined;
    });
  }

  async undo(name: string, input: JsonObject, options: RunOptions = {}): Promise<void> {
    await asFailed(async () => this.#find(name).undo?.(this.#runOf('undo', input, options)));
  }

  /** Stops an action, as a forceful cancel does after its run was ended. */
  async stop(name: string, input: JsonObject): Promise<boolean> {
    return (await asFailed(async () => this.#find(name).stop?.(this.#runOf('do', input, {})))) ?? true;
  }

  /** Whether a recheck finds the effect. */
  async isDone(name: string, input: JsonObject): Promise<boolean> {
    return (await asFailed(async () => this.#find(name).check?.({ ...this.#runOf('do', input, {}), epoch: 2 }))) === true;
  }

  close(): void {
    this.#sessions.close();
  }

  #find(name: string): BoundAction {
    const action = this.#actions.find(({ key }) => key === `${name}@1`);
    if (action === undefined) throw new InvariantError(`infra-driver has no action ${name}@1`);
    return action;
  }

  #runOf(phase: StepPhase, input: JsonObject, { signal = new AbortController().signal, onProgress }: RunOptions): StepRun {
    return {
      operationId: this.operationId,
      stepId: 'step',
      epoch: 1,
      attempt: 1,
      attemptEpoch: 1,
      resumed: false,
      phase,
      target: null,
      tenant: 'default',
      input: { vim: this.#vim() as unknown as Json, ...input },
      signal,
      assertLease: () => signal.throwIfAborted(),
      leaseLeft: () => seconds(60),
      onlyWaits: () => undefined,
      progress: (line) => onProgress?.(line),
    };
  }

  #vim(): VimAccess {
    const { authUrl, region, credentials } = this.run.connection;
    if (credentials.kind !== 'password') throw new InvariantError('the contract logs in with a password');
    const nameOf = (given: unknown): string => (typeof given === 'string' ? given : 'Default');
    return {
      connectionId: 'contract',
      authUrl,
      ...(region === undefined ? {} : { region }),
      username: credentials.username,
      password: credentials.password.reveal(),
      userDomainName: nameOf(credentials.userDomain),
      projectName: nameOf(credentials.project),
      projectDomainName: nameOf(credentials.projectDomain),
      verifyTls: true,
    };
  }
}

/** Throws an error as a worker reports it. */
async function asFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw causeOf(error);
  }
}

interface RunOptions {
  /** Aborted at the end of the lease: nothing more is sent. */
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}
