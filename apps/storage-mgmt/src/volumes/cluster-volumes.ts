import { kubectl, type KubeApi } from '@windlass/driver-kit';
import { minutes, seconds, TerminalError, TransientError, waitUntil, type Duration } from '@windlass/foundation';
import { cmd, VOLUME_LABEL, type Command } from '@windlass/mgmt-driver';
import type { PersistentVolume } from './manifests.js';

const JOB = minutes(2);

/** The API server's words for errors that no retry mends. */
const REFUSED = /is invalid:|\(Invalid\)|\(BadRequest\)|\(Forbidden\)|error validating/;

/** A PersistentVolume that the cluster has. */
export interface ClusterVolume {
  name: string;
  /** `Available`, `Bound`, `Released`, `Failed`, `Pending`. */
  phase: string;
  ours: boolean;
  leaving: boolean;
  server: string | undefined;
  /** The claim that the volume is or was bound to: `namespace/name`. */
  claim: string | undefined;
}

/** How the cluster is waited for. */
export interface Waiting {
  signal: AbortSignal;
  progress: (line: string) => void;
  within: Duration;
}

/** The PersistentVolumes of a cluster; ours are those with the instance's label. */
export class ClusterVolumes {
  constructor(
    private readonly api: KubeApi,
    private readonly instance: string,
  ) {}

  /** @throws TransientError `cluster.no-answer`: without an answer, no volume counts as gone or unbound */
  async all(): Promise<ClusterVolume[]> {
    let why = 'no answer';
    const list = await this.api.ask(cmd`get persistentvolumes -o json`, (said) => (why = said));
    if (list === undefined) throw new TransientError('cluster.no-answer', `the API of the cluster does not answer: ${why}`);
    return (list.items as RawVolume[]).map((raw) => read(raw, this.instance));
  }

  async ours(): Promise<ClusterVolume[]> {
    return (await this.all()).filter(({ ours }) => ours);
  }

  /**
   * The volumes that are ours, or the named ones of them. None may be bound.
   * @throws TerminalError `volumes.bound`, which names them with their claims
   */
  async unbound(names?: readonly string[]): Promise<ClusterVolume[]> {
    const ours = (await this.ours()).filter(({ name }) => names?.includes(name) ?? true);
    const bound = ours.filter(({ phase }) => phase === 'Bound');
    if (bound.length === 0) return ours;
    const told = bound.map(({ name, claim }) => (claim === undefined ? name : `${name} (claim ${claim})`)).join(', ');
    throw new TerminalError(
      'volumes.bound',
      `PersistentVolumes of this VNF are in use: ${told}. End the pods and delete the claims, then retry`,
    );
  }

  /** @throws TerminalError `volumes.refused`, TransientError `cluster.refused` */
  async create(volumes: readonly PersistentVolume[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: volumes.map(({ object }) => object) };
    await this.#change('create-volumes', cmd`create -f -`, JSON.stringify(list));
  }

  /**
   * Deletes them, and waits until they are gone.
   * @throws TransientError `wait.timeout` with those that stay
   */
  async remove(volumes: readonly ClusterVolume[], { signal, progress, within }: Waiting): Promise<void> {
    const names = volumes.map(({ name }) => name);
    const going = volumes.filter(({ leaving }) => !leaving).map(({ name }) => name);
    if (going.length > 0)
      await this.#change('delete-volumes', cmd`delete persistentvolumes ${going} --wait=false --ignore-not-found`);
    if (names.length === 0) return;
    await waitUntil(
      async (seen) => {
        const left = (await this.ours()).filter(({ name }) => names.includes(name));
        if (left.length === 0) return true;
        const told = `still there: ${left.map(({ name, phase }) => `${name} (${phase})`).join(', ')}`;
        seen(told);
        progress(told);
        return undefined;
      },
      { for: 'PersistentVolumes to be gone', within, every: seconds(0.5), growth: 1.5, atMost: seconds(5), signal },
    );
  }

  async #change(job: string, command: Command, input?: string): Promise<void> {
    const master = await this.api.living();
    const result = await master.host.job(job, {
      run: kubectl(master, command),
      within: JOB,
      okStatuses: [0, 1],
      ...(input === undefined ? {} : { input }),
    });
    if (result.status === 0) return;
    const said = result.stderrTail.trim();
    if (REFUSED.test(said)) throw new TerminalError('volumes.refused', `the cluster refuses PersistentVolumes: ${said}`);
    throw new TransientError('cluster.refused', `${job} was not done: ${said}`);
  }
}

type RawVolume = {
  metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string };
  spec?: { nfs?: { server?: string }; claimRef?: { namespace?: string; name?: string } };
  status?: { phase?: string };
};

function read({ metadata, spec = {}, status }: RawVolume, instance: string): ClusterVolume {
  const { claimRef, nfs } = spec;
  return {
    name: metadata.name,
    phase: status?.phase ?? 'Pending',
    ours: metadata.labels?.[VOLUME_LABEL] === instance,
    leaving: metadata.deletionTimestamp !== undefined,
    server: nfs?.server,
    claim: claimRef?.name === undefined ? undefined : `${claimRef.namespace ?? ''}/${claimRef.name}`,
  };
}
