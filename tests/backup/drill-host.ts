import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds } from '@windlass/foundation';
import { cmd, type Hook, type HookContext, type Host, type HostRun, type HostTarget } from '@windlass/mgmt-driver';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import {
  bindActions,
  common,
  defineAction,
  implementAction,
  sequence,
  stepOf,
  type HeldClaim,
  type Plan,
  type StepRun,
} from '@windlass/saga';
import { TestSshd } from '../../libs/remote-host/src/testing/sshd.js';
import { CHAOS_DRIVER } from '../chaos/driver/chaos.driver.js';
import type { LedgerLine } from '../chaos/judge/evidence.js';
import { readLedger } from '../chaos/judge/ledger.js';
import { rigFolder } from '../support/rig-folder.js';
import type { System } from '../support/system.js';
import { startTestDriver } from '../support/test-driver.js';
import { startTestWorker } from '../support/test-worker.js';

const SERVICE = 'drill-mgmt';

/** On which side of the work on the VIM a hook is. */
export type Side = 'start' | 'end';

interface WorkInput {
  vnfInstanceId: string;
  hook: Side;
}

/** Its check looks for the mark that the job leaves. */
const SEEN = defineAction<WorkInput>({ service: SERVICE, name: 'seen-work', version: 1 });
/** Without a check: nobody can tell whether it is done. */
const BLIND = defineAction<WorkInput>({ service: SERVICE, name: 'blind-work', version: 1 });

/** The highest epochs that the host has seen, by `<operation> <step>`. */
export type Fences = ReadonlyMap<string, number>;

/** A machine behind an OpenSSH server, on which the hooks of a package run jobs, whose doors the test opens and closes. */
export class DrillHost {
  readonly #hosts: RemoteHosts;
  readonly #blind = new Set<string>();

  private constructor(
    readonly folder: string,
    private readonly sshd: TestSshd,
  ) {
    this.#hosts = new RemoteHosts({
      hostKeys: new MemoryHostKeys(),
      jobsFolder: `${folder}/jobs`,
      contain: 'plain',
      patience: seconds(20),
      stopGrace: seconds(2),
    });
  }

  static async start(): Promise<DrillHost> {
    const folder = await rigFolder('windlass-drill-');
    // sshd looks for keys as whoever logs in.
    await chmod(folder, 0o711);
    for (const name of ['locks', 'marks', 'closed']) await mkdir(join(folder, name));
    await cp(join(import.meta.dirname, 'host-job.sh'), join(folder, 'host-job.sh'));
    await writeFile(join(folder, 'ledger'), '');
    return new DrillHost(folder, await TestSshd.start('MaxSessions 200'));
  }

  async close(): Promise<void> {
    this.#hosts.close();
    await this.sshd.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** From now on hooks of the instance have no check. */
  blind(vnfInstanceId: string): void {
    this.#blind.add(vnfInstanceId);
  }

  /** Has the jobs of a hook of the instance wait until it is opened. */
  async shut(vnfInstanceId: string, hook: Side): Promise<void> {
    await writeFile(this.#door(vnfInstanceId, hook), '');
  }

  async open(vnfInstanceId: string, hook: Side): Promise<void> {
    await rm(this.#door(vnfInstanceId, hook), { force: true });
  }

  async ledger(): Promise<LedgerLine[]> {
    return readLedger(await readFile(join(this.folder, 'ledger'), 'utf8'));
  }

  /** As the job script keeps them: `<root>/<operation>/<step>/fence`. */
  async fences(): Promise<Fences> {
    const root = join(this.folder, 'jobs');
    const found = new Map<string, number>();
    for (const operation of (await readdir(root)).filter((name) => !name.startsWith('.')))
      for (const step of await readdir(join(root, operation))) {
        const [epoch = ''] = (await readFile(join(root, operation, step, 'fence'), 'utf8')).split(' ');
        found.set(`${operation} ${step}`, Number(epoch));
      }
    return found;
  }

  /** The driver that answers for the hooks, and its worker, which hands over what it runs when it is stopped. */
  async serve(system: System): Promise<{ replaceWorker(): Promise<void>; stop(): Promise<void> }> {
    const driver = await startTestDriver(system, CHAOS_DRIVER, {
      service: SERVICE,
      hooks: ['instantiate', 'scale', 'heal', 'terminate'].flatMap((of) => [`${of}_start`, `${of}_end`] as Hook[]),
      actions: [SEEN, BLIND].map(({ name, version }) => ({ name, version })),
      plan: (hook) => this.#plan(hook),
    });
    const work = () => startTestWorker(system, SERVICE, this.#actions());
    let worker = await work();
    return {
      replaceWorker: async () => {
        await worker.stop();
        worker = await work();
      },
      stop: async () => {
        await worker.stop();
        await driver.stop();
      },
    };
  }

  /** What a worker of before would still ask for with the epoch that it had. */
  lateJob({ operationId, stepId, epoch }: HeldClaim, vnfInstanceId: string): Promise<unknown> {
    const run = {
      ...{ operationId, stepId, vnfInstanceId, phase: 'do' as const },
      ...{ epoch, attemptEpoch: epoch, signal: new AbortController().signal },
      assertLease: () => undefined,
      leaseLeft: () => seconds(30),
    };
    return this.#hosts.host(this.#target(vnfInstanceId), run).job('work', { run: cmd`/bin/true`, within: minutes(1) });
  }

  #door = (vnfInstanceId: string, hook: Side): string => join(this.folder, 'closed', `${vnfInstanceId}-${hook}`);

  #plan({ vnfInstanceId, hook }: HookContext): Plan {
    const action = this.#blind.has(vnfInstanceId) ? BLIND : SEEN;
    const shared: WorkInput = { vnfInstanceId, hook: hook.endsWith('_start') ? 'start' : 'end' };
    const step = stepOf(action, {
      target: `host-${vnfInstanceId}`,
      limits: [`${SERVICE}:${vnfInstanceId}`],
      input: { vnfInstanceId: common(shared, (of) => of.vnfInstanceId), hook: common(shared, (of) => of.hook) },
    });
    return { madeBy: { driver: CHAOS_DRIVER, version: '0.1.0' }, common: { ...shared }, root: sequence(step) };
  }

  #actions() {
    const seen = implementAction(SEEN, {
      check: (run: StepRun<WorkInput>) => this.#isMarked(run),
      apply: (run) => this.#work(run),
    });
    const blind = implementAction(BLIND, { apply: (run: StepRun<WorkInput>) => this.#work(run) });
    return bindActions([seen, blind], (run, work) => work(run as StepRun<WorkInput>));
  }

  async #isMarked(run: StepRun<WorkInput>): Promise<boolean> {
    const mark = `${this.folder}/marks/${run.operationId}-${run.input.hook}`;
    return this.#host(run).files.exists(mark);
  }

  async #work(run: StepRun<WorkInput>): Promise<undefined> {
    const { operationId, stepId, phase, attemptEpoch, input } = run;
    const { folder } = this;
    await this.#host(run).job('work', {
      run: cmd`/bin/sh ${folder}/host-job.sh ${folder} ${input.vnfInstanceId} ${input.hook} ${operationId} ${stepId} ${phase} ${attemptEpoch}`,
      within: minutes(10),
    });
    return undefined;
  }

  #target(vnfInstanceId: string): HostTarget {
    return this.sshd.target({ resourceId: `host-${vnfInstanceId}` });
  }

  /** All instances share the machine; each has a connection and a pinned host key of its own. */
  #host(run: StepRun<WorkInput>): Host {
    const { operationId, stepId, phase, epoch, attemptEpoch, signal, input } = run;
    const hostRun: HostRun = {
      ...{ operationId, stepId, phase, epoch, attemptEpoch, signal, vnfInstanceId: input.vnfInstanceId },
      assertLease: () => run.assertLease(),
      leaseLeft: () => run.leaseLeft(),
    };
    return this.#hosts.host(this.#target(input.vnfInstanceId), hostRun);
  }
}
