import { minutes, seconds, Secret } from '@windlass/foundation';
import { cmd, type Host, type HostRun, type Hosts, type HostTarget } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { KEEP_LEDGER, type LedgerInput } from './chaos.driver.js';

/** The context of the action during one claim. */
export class LedgerContext {
  readonly input: LedgerInput;

  constructor(
    readonly run: StepRun<LedgerInput>,
    private readonly hosts: Hosts,
    private readonly place: { port: number; key: Secret; folder: string },
  ) {
    this.input = run.input;
  }

  /** Runs one job on the host: once in an attempt, however many claims the attempt has. */
  async note(name: string): Promise<void> {
    const { run, input, place } = this;
    const { operationId, stepId, phase, attemptEpoch } = run;
    const takes = input.takesMs / 1_000;
    await this.#host.job(name, {
      run: cmd`/bin/sh ${place.folder}/ledger-job.sh ${place.folder} ${operationId} ${stepId} ${phase} ${attemptEpoch} ${takes} ${input.failures}`,
      env: { CHAOS_PASSWORD: new Secret(input.password ?? 'none') },
      within: minutes(2),
      onOutput: ({ text }) => run.progress(text.trim()),
    });
  }

  async stop(): Promise<boolean> {
    const { operationId, stepId, epoch } = this.run;
    await this.hosts.endJobs(this.#target, { operationId, stepId, epoch });
    return true;
  }

  /** The one machine of all instances; each instance has its own connection and pinned host key. */
  get #target(): HostTarget {
    const { port, key } = this.place;
    return { resourceId: `host-${this.input.vnfInstanceId}`, address: '127.0.0.1', port, username: 'root', privateKey: key };
  }

  get #host(): Host {
    const { run } = this;
    const { operationId, stepId, phase, epoch, attemptEpoch, signal } = run;
    const hostRun: HostRun = {
      operationId,
      stepId,
      phase,
      epoch,
      attemptEpoch,
      signal,
      vnfInstanceId: this.input.vnfInstanceId,
      assertLease: () => run.assertLease(),
      leaseLeft: () => run.leaseLeft(),
    };
    return this.hosts.host(this.#target, hostRun);
  }
}

/** Has no check on purpose: only the job's own record on the host keeps the job from running twice. */
export const keepLedger = implementAction(KEEP_LEDGER, {
  apply: async (context: LedgerContext) => {
    await context.note('note');
    return undefined;
  },
  undo: (context) => context.note('take-back'),
  stop: (context) => context.stop(),
  retry: { attempts: 4, backoff: seconds(0.5), growth: 2 },
});
