import { setMaxListeners } from 'node:events';
import { TransientError } from '@windlass/foundation';
import type { EndJobs, Host, HostRun, Hosts, HostTarget } from '@windlass/mgmt-driver';
import type { HostClaim } from './connection/host-keys.js';
import { quoted } from './output/said-too-much.js';
import { SshConnections, type Caller } from './connection/ssh-connections.js';
import { stepParameters } from './jobs/job-calls.js';
import { settingsOf, type HostSettings, type RemoteHostOptions } from './connection/options.js';
import { RemoteHost } from './remote-host.js';
import { Runner } from './runner/runner.js';

/** Names of jobs have 63 characters at most. */
const MAX_NAME_LENGTH = 100;

/** Hosts over SSH. One of these a service: it holds the connections. */
export class RemoteHosts implements Hosts {
  readonly connections: SshConnections;
  readonly #settings: HostSettings;

  constructor(options: RemoteHostOptions) {
    this.#settings = settingsOf(options);
    this.connections = new SshConnections(this.#settings);
  }

  host(target: HostTarget, run: HostRun): Host {
    // Each call that is under way listens until it has ended, and there may be any number: Node's warning at eleven says nothing here.
    setMaxListeners(0, run.signal);
    return new RemoteHost(this.#runner(target, { claim: run, progress: run.progress?.bind(run) }), run);
  }

  async endJobs(target: HostTarget, step: EndJobs): Promise<readonly string[]> {
    const runner = this.#runner(target, { claim: step, impatient: true });
    try {
      const lines = await runner.call('end-step', stepParameters(step));
      return lines
        .filter((line) => line.startsWith('ended '))
        .map((line) => quoted(line.slice('ended '.length), MAX_NAME_LENGTH));
    } catch (error) {
      if (!(error instanceof TransientError) || error.code === 'remote.not-confirmed-stopped') throw error;
      throw new TransientError(
        'remote.not-confirmed-stopped',
        `the jobs of step ${step.stepId} on ${runner.host} are not confirmed stopped: ${error.message}`,
        { cause: error },
      );
    }
  }

  /** Forgets old steps and inputs that no job has, now; otherwise each start does that once a day. */
  async sweep(target: HostTarget, claim: HostClaim): Promise<void> {
    await this.#runner(target, { claim }).call('sweep', { OP: 'x', STEP: 'x' });
  }

  /** Closes all connections. Jobs run on. */
  close(): void {
    this.connections.close();
  }

  #runner(target: HostTarget, caller: Omit<Caller, 'signal'>): Runner {
    const { operationId, stepId, epoch } = caller.claim;
    return new Runner(target, this.connections, this.#settings, { ...caller, claim: { operationId, stepId, epoch } });
  }
}
