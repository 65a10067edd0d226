import type { JsonObject } from '@windlass/foundation';
import { FakeHosts, type FakeCall, type FakeHostsOptions, type FakeReply } from '@windlass/mgmt-driver/testing';

/** A PersistentVolume as the API server keeps it. */
export interface FakeVolume {
  object: JsonObject;
  phase: string;
  claim?: { namespace: string; name: string };
  deleted?: boolean;
}

/** Masters whose API server keeps PersistentVolumes, as kubectl shows them. Written from the API server's behaviour, not from the actions. */
export class FakeVolumes {
  readonly hosts: FakeHosts;
  readonly volumes = new Map<string, FakeVolume>();
  /** The masters whose API server answers; all unless given. */
  answering: readonly string[] | undefined;
  /** The phase of a new PersistentVolume. */
  fate: (name: string) => string = () => 'Available';
  /** The API server's refusal of a creation; none unless given. */
  refuses: string | undefined;
  /** The objects of the cluster at the last call, by which a new cluster is noticed. */
  #api: object | undefined;

  /**
   * @param cluster a fake cluster, on whose machines the PersistentVolumes are, and which answers all other commands. They are gone with the API's objects,
   *   which are new in a new cluster, and undefined without a cluster
   */
  constructor(options: FakeHostsOptions = {}, cluster?: { hosts: FakeHosts; readonly api: object | undefined }) {
    this.hosts = cluster?.hosts ?? new FakeHosts(options).on(/^true$/, {});
    this.hosts.on(/^kubectl --kubeconfig/, (call) =>
      cluster === undefined ? this.#kubectl(call) : this.#beside(cluster.api, call),
    );
  }

  /** Adds an existing PersistentVolume. */
  has(name: string, object: JsonObject, phase = 'Available'): void {
    this.volumes.set(name, { object, phase });
  }

  bind(name: string, claim = { namespace: 'default', name: `of-${name}` }): void {
    Object.assign(this.volumes.get(name) ?? {}, { phase: 'Bound', claim });
  }

  #beside(api: object | undefined, call: FakeCall): FakeReply | undefined {
    if (this.#api !== api) this.volumes.clear();
    this.#api = api;
    return api === undefined || !/ (persistentvolumes|create -f -)/.test(call.command.replaceAll("'", ''))
      ? undefined
      : this.#kubectl(call);
  }

  #kubectl({ machine, command, input }: FakeCall): FakeReply {
    if (this.answering?.includes(machine.resourceId) === false)
      return { status: 1, stderr: 'The connection to the server was refused' };
    const rest = command.replaceAll("'", '').replace(/^kubectl --kubeconfig=\S+ --server=\S+ /, '');
    if (rest === 'get --raw /readyz') return { stdout: 'ok' };
    if (rest === 'get persistentvolumes -o json') return { stdout: JSON.stringify({ items: this.#shown() }) };
    if (rest === 'create -f -') return this.#create(JSON.parse(input) as JsonObject);
    const names = /^delete persistentvolumes (.+) --wait=false --ignore-not-found$/.exec(rest)?.[1];
    if (names !== undefined) return { effect: () => names.split(' ').forEach((name) => this.#delete(name)) };
    return { status: 1, stderr: `error: unknown command "${rest}"` };
  }

  #shown(): JsonObject[] {
    return [...this.volumes.values()].map(({ object, phase, claim, deleted }) => ({
      ...object,
      metadata: {
        ...(object.metadata as JsonObject),
        ...(deleted === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      },
      spec: { ...(object.spec as JsonObject), ...(claim === undefined ? {} : { claimRef: claim }) },
      status: { phase },
    }));
  }

  /** Makes each accepted PersistentVolume, although others are refused. */
  #create({ items }: JsonObject): FakeReply {
    if (this.refuses !== undefined) return { status: 1, stderr: this.refuses };
    const objects = (items as JsonObject[]).map((object) => ({ object, name: (object.metadata as { name: string }).name }));
    const taken = objects.filter(({ name }) => this.volumes.has(name));
    const effect = (): void => {
      for (const { object, name } of objects)
        if (!this.volumes.has(name)) this.volumes.set(name, { object, phase: this.fate(name) });
    };
    if (taken.length === 0) return { effect };
    return { status: 1, stderr: `persistentvolumes "${taken[0]!.name}" already exists`, effect };
  }

  /** Deletes a PersistentVolume; a bound one stays until its claim is gone. */
  #delete(name: string): void {
    const volume = this.volumes.get(name);
    if (volume?.phase === 'Bound') volume.deleted = true;
    else this.volumes.delete(name);
  }
}
