import { describeDuration, seconds, Secret, TransientError, type Duration, type JsonObject } from '@windlass/foundation';
import { cmd, type Command } from '@windlass/mgmt-driver';
import { kubectl, LivingMasters, type Master } from './living-masters.js';
import type { SilentMachines } from '../host/silent-machines.js';

const LOOK = seconds(60);

/** How long the API may take to accept or delete objects that are given as text. */
const OBJECTS = seconds(120);

/** How a program in a pod ended. */
export interface ExecResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** What {@link KubeApi.change} is told beside the command. */
export interface ChangeTerms {
  /** A minute unless given. */
  within?: Duration;
  /** Standard input; it holds no secret. */
  input?: string;
}

/** A cluster's API, through kubectl on any of its living masters: neither an address of the cluster nor a login to it is needed. */
export class KubeApi {
  protected readonly masters: LivingMasters;

  /** @param silent as {@link LivingMasters} */
  constructor(masters: readonly Master[], silent?: SilentMachines) {
    this.masters = new LivingMasters(masters, silent);
  }

  /** A master whose API server answers. @throws as {@link LivingMasters.one} */
  living(): Promise<Master> {
    return this.masters.one();
  }

  /** What `kubectl get ... -o json` prints, or undefined when there is no answer or no such object; `seen` hears why. */
  async ask(query: Command, seen: (why: string) => void = () => undefined): Promise<JsonObject | undefined> {
    const answer = await this.masters.ask(async (master) => {
      const options = { within: LOOK, sudo: true, expect: 'any', secretOutput: true } as const;
      const result = await master.host.run(kubectl(master, query), options);
      if (result.status === 0) return { found: JSON.parse(result.stdout) as JsonObject };
      seen(result.stderr.trim().split('\n').at(-1) ?? 'no answer');
      // The cluster has answered that there is no such object: any other master would say the same.
      return result.stderr.includes('(NotFound)') ? { found: undefined } : undefined;
    });
    return answer?.found;
  }

  /** Runs a program in a pod that changes nothing. @throws as `Host.run` when it does not end in a minute */
  async exec(pod: { namespace: string; name: string }, argv: readonly string[]): Promise<ExecResult> {
    const query = cmd`-n ${pod.namespace} exec ${pod.name} -- ${argv}`;
    const master = await this.masters.one();
    return master.host.run(kubectl(master, query), { within: LOOK, sudo: true, expect: 'any' });
  }

  /** Applies objects that a new cluster may refuse for a while. They hold no secret. @throws as {@link change} */
  async tryToApply(job: string, objects: JsonObject): Promise<void> {
    await this.change(job, cmd`apply -f -`, { input: JSON.stringify(objects) });
  }

  /** Applies objects, which may hold secrets. @throws TerminalError `remote.command-failed` when the cluster refuses them */
  async apply(job: string, objects: JsonObject): Promise<void> {
    const master = await this.masters.one();
    await master.host.job(job, {
      run: kubectl(master, cmd`apply -f -`),
      input: new Secret(JSON.stringify(objects)),
      within: OBJECTS,
    });
  }

  /** Deletes objects and waits until they are gone. Objects that are gone already are no error. @throws as {@link apply} */
  async remove(job: string, objects: JsonObject): Promise<void> {
    const master = await this.masters.one();
    await master.host.job(job, {
      run: kubectl(master, cmd`delete -f - --ignore-not-found`),
      input: new Secret(JSON.stringify(objects)),
      within: OBJECTS,
    });
  }

  /**
   * Runs kubectl as one job that changes something.
   * @throws TransientError `cluster.refused` when it was not done in that time
   */
  async change(job: string, command: Command, { within = LOOK, input }: ChangeTerms = {}): Promise<void> {
    const terms = { within, okStatuses: [0, 1], ...(input === undefined ? {} : { input }) };
    const master = await this.masters.one();
    const result = await master.host.job(job, { run: kubectl(master, command), ...terms });
    if (result.status === 0) return;
    throw new TransientError(
      'cluster.refused',
      `${command.display} was not done in ${describeDuration(within)}: ${result.stderrTail.trim()}`,
    );
  }
}
