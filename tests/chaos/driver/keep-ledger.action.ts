import { minutes, seconds, Secret } from '@windlass/foundation';
import { cmd, type Host, type HostRun, type Hosts, type HostTarget } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { KEEP_LEDGER, type LedgerInput } from './chaos.driver.js';

/** What the action works with, on behalf of one claim. */
export class LedgerContext {
  readonly input: LedgerInput;

  constructor(
    readonly run: StepRun<LedgerInput>,
    private readonly hosts: Hosts,
    private readonly place: { port: number; key: Secret; folder: string },
  ) {
    this.input = run.input;
  }

  /** One job on the host; started once an attempt, however many claims the attempt has. */
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

  /** All instances share one machine; each has a connection and a pinned host key of its own. */
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

/** Without a check on purpose: nothing but the job's own record on the host keeps it from running twice. */
export const keepLedger = implementAction(KEEP_LEDGER, {
  apply: async (context: LedgerContext) => {
    await context.note('note');
    return undefined;
  },
  undo: (context) => context.note('take-back'),
  stop: (context) => context.stop(),
  retry: { attempts: 4, backoff: seconds(0.5), growth: 2 },
});
