import { hostInUrl, seconds, TransientError, WindlassError } from '@windlass/foundation';
import { cmd, type Command, type Host } from '@windlass/mgmt-driver';
import { SilentMachines } from '../host/silent-machines.js';

/** Where a master's own API server listens. */
export const API_PORT = 6443;

const LOOK = seconds(60);

/** A master: its machine, and its address in the cluster's network. */
export interface Master {
  host: Host;
  address: string;
}

/**
 * kubectl as the administrator, on a master, asking the API server of that same node: the answer tells of this master, and needs neither a load
 * balancer nor a virtual address.
 */
export const kubectl = ({ address }: Pick<Master, 'address'>, command: Command): Command =>
  cmd`kubectl --kubeconfig=/etc/kubernetes/admin.conf ${`--server=https://${hostInUrl(address)}:${API_PORT}`} ${command}`;

/**
 * Finds a living master by asking all in turn: first the one that answered last, and last those whose machines did not answer. Otherwise no master
 * comes before another.
 */
export class LivingMasters {
  #last = 0;

  /** @param silent what is known of machines; unless given, these masters find it out by themselves */
  constructor(
    readonly all: readonly Master[],
    private readonly silent = new SilentMachines(),
  ) {}

  /**
   * The first answer of a master; undefined where the masters that can be reached give none.
   * @throws a machine's error where none of them can be reached
   */
  async ask<T>(question: (master: Master) => Promise<T | undefined>): Promise<T | undefined> {
    const failures: WindlassError[] = [];
    for (const [n, master] of this.#inTurn()) {
      const { resourceId } = master.host.target;
      try {
        const said = await question(master);
        this.silent.delete(resourceId);
        if (said === undefined) continue;
        this.#last = n;
        return said;
      } catch (error) {
        if (!ofThisMachine(error)) throw error;
        if (isSilence(error)) this.silent.add(resourceId);
        failures.push(error);
      }
    }
    const [failure] = failures;
    if (failure !== undefined && failures.length === this.all.length) throw failure;
    return undefined;
  }

  #inTurn(): (readonly [number, Master])[] {
    const all = [...this.all.entries()];
    const inTurn = [...all.slice(this.#last), ...all.slice(0, this.#last)];
    const isSilent = ([, { host }]: (typeof all)[number]): boolean => this.silent.has(host.target.resourceId);
    return [...inTurn.filter((each) => !isSilent(each)), ...inTurn.filter(isSilent)];
  }

  /**
   * A master whose API server answers. The only master of a cluster is returned unasked, because the question after this shows whether it answers.
   * @throws TransientError `cluster.no-living-master`
   */
  async one(): Promise<Master> {
    const [first] = this.all;
    if (first !== undefined && this.all.length === 1) return first;
    const found = await this.ask(async (master) => {
      const options = { within: LOOK, sudo: true, expect: 'any' } as const;
      const { status } = await master.host.run(kubectl(master, cmd`get --raw /readyz`), options);
      return status === 0 ? master : undefined;
    });
    if (found !== undefined) return found;
    const addresses = this.all.map(({ address }) => address).join(', ');
    throw new TransientError('cluster.no-living-master', `no API server answers on the masters ${addresses}`);
  }
}

/** Whether an error is about the machine that was asked, and not about the claim for which it was asked. */
export const ofThisMachine = (error: unknown): error is WindlassError =>
  error instanceof WindlassError && error.code.startsWith('remote.') && !/stale-epoch|lease-over/.test(error.code);

/** Whether an error says that a machine did not answer at all. */
export const isSilence = (error: unknown): error is WindlassError =>
  error instanceof WindlassError && (error.code === 'remote.unreachable' || error.code === 'remote.connection-lost');
