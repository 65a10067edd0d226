import { InvariantError, seconds, TransientError, type Duration, type Secret } from '@windlass/foundation';
import { cmd, type Command, type Host, type HostRun, type Hosts, type JobFiles, type JobResult } from '@windlass/mgmt-driver';
import type { StepRun } from '@windlass/saga';
import { KubeCluster } from '../cluster/kube-cluster.js';
import { targetOf, type NodeInput, type NodeStepInput } from './node-input.js';
import { noProxyEnvironment, proxyEnvironment, proxySecrets } from './proxy-files.js';

/** EX_TEMPFAIL: a script's way to say that the same may work later. */
const TRY_AGAIN = 75;

/** A script for a node: its text, and what it is told. */
export interface NodeScript {
  text: string;
  within: Duration;
  /** Puts files into the job's folder and returns the arguments. */
  arguments: (files: JobFiles) => Promise<readonly string[]> | readonly string[];
  /** None unless given. */
  env?: Readonly<Record<string, string>>;
}

/** What an action on a node works with, on behalf of one claim. */
export class NodeContext<Input extends NodeStepInput> {
  readonly #hosts = new Map<string, Host>();

  constructor(
    readonly run: StepRun,
    private readonly hosts: Hosts,
  ) {
    for (const member of ['instance', 'cluster', 'node'] as const) {
      if (run.input[member] === undefined) throw new InvariantError(`step ${run.stepId} has no input "${member}"`);
    }
  }

  get input(): Input {
    return this.run.input as unknown as Input;
  }

  get node(): NodeInput {
    return this.input.node;
  }

  /** The node. */
  get host(): Host {
    return this.hostOf(this.node);
  }

  /** The cluster, through a living master. */
  get cluster(): KubeCluster {
    return new KubeCluster(this.hostOf(this.input.master ?? this.node));
  }

  /** What else the step's input holds that must not be shown. */
  protected get moreSecrets(): Secret[] {
    return [];
  }

  /**
   * Environment of kubeadm, which copies every variable `*_proxy` into manifests of static pods and kube-proxy's DaemonSet, where whoever reads
   * pods reads passwords. It needs no proxy: containerd pulls its images by a configuration of its own, and its version stands in its own.
   */
  get kubeadmEnvironment(): Record<string, string> {
    return noProxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }

  /** Environment of programs that go through the proxies. */
  get proxies(): Record<string, string | Secret> {
    return proxyEnvironment(this.input.proxy ?? {}, this.input.cluster.noProxy);
  }

  hostOf(node: NodeInput): Host {
    const known = this.#hosts.get(node.vnfc.resourceId);
    const host = known ?? this.hosts.host(targetOf(node), this.#hostRun());
    this.#hosts.set(node.vnfc.resourceId, host);
    return host;
  }

  /** Runs a script as one job on the node. @throws TransientError `node.try-again` when it says that the same may work later */
  async script(name: string, script: NodeScript): Promise<JobResult> {
    const result = await this.host.job(name, {
      prepare: async (files) => {
        await files.put('script.sh', script.text);
        const words = await script.arguments(files);
        return {
          run: cmd`/bin/bash ${files.path('script.sh')} ${[...words]}`,
          ...(script.env === undefined ? {} : { env: script.env }),
        };
      },
      within: script.within,
      okStatuses: [0, TRY_AGAIN],
      onOutput: ({ text }) => this.progress(text),
    });
    if (result.status !== TRY_AGAIN) return result;
    const said = `${result.stdoutTail}\n${result.stderrTail}`.trim().split('\n').slice(-5).join('\n');
    throw new TransientError('node.try-again', `${name} on ${this.node.name} may work later: ${said}`);
  }

  /** Whether a look at the node succeeds; one that fails sees nothing. */
  async sees(command: Command, input?: string | Secret): Promise<boolean> {
    const options = { within: LOOK, sudo: true, expect: 'any', ...(input === undefined ? {} : { input }) } as const;
    return (await this.host.run(command, options)).status === 0;
  }

  progress(text: string): void {
    const line = text.trim().split('\n').at(-1)?.trim() ?? '';
    if (line !== '') this.run.progress(line.slice(0, 200));
  }

  /** Ends what a forceful cancel leaves running, on every node of the step. */
  async stop(): Promise<boolean> {
    const { operationId, stepId, epoch } = this.run;
    const nodes = [this.node, ...(this.input.master === undefined ? [] : [this.input.master])];
    for (const node of nodes) await this.hosts.endJobs(targetOf(node), { operationId, stepId, epoch });
    return true;
  }

  #hostRun(): HostRun {
    const { run } = this;
    return {
      operationId: run.operationId,
      stepId: run.stepId,
      vnfInstanceId: this.input.instance,
      phase: run.phase,
      epoch: run.epoch,
      attemptEpoch: run.attemptEpoch,
      signal: run.signal,
      assertLease: () => run.assertLease(),
      leaseLeft: () => run.leaseLeft(),
      secrets: [...proxySecrets(this.input.proxy ?? {}), ...this.moreSecrets],
    };
  }
}

/** A look is quick, or the machine is busy beyond use. */
export const LOOK = seconds(60);
