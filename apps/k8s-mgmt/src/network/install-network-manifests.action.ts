import { kubectl, type PackageFiles, type PackageFileRef } from '@windlass/driver-kit';
import { InvariantError, minutes, seconds, Secret, TerminalError, TransientError, type JsonObject } from '@windlass/foundation';
import { cmd, type Hosts } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { ClusterStepInput } from '../cluster/node-input.js';
import { ClusterContext } from '../node/node-context.js';
import { calicoFor } from './calico.js';
import { readManifest } from './manifests.js';
import { digestOf, installedNetwork, networkRecord } from './workloads.js';

export interface InstallNetworkManifestsInput extends ClusterStepInput {
  /** Whether the manifests are Calico's, which the service has as a file, or the package's. */
  addon: 'calico' | 'manifests';
  /** Of the package, in the order in which they are applied; none of Calico's. */
  manifests?: PackageFileRef[];
  /** Registry and path that Calico's images come of; as its manifest has them, unless given. */
  imageRepository?: string;
}

/** The API server's words for errors that no retry mends. */
const REFUSED = /is invalid:|\(Invalid\)|\(BadRequest\)|error validating|unknown field/;

/** Characters of kubectl's words that are shown. */
const SHOWN = 1_000;

/** Where the manifests come from. */
export interface ManifestSources {
  packages: PackageFiles;
  /** Calico's objects, where the service has them. */
  calico: readonly JsonObject[] | undefined;
}

/** A cluster that gets its network by manifests. */
export class NetworkContext extends ClusterContext<InstallNetworkManifestsInput> {
  #objects: Promise<JsonObject[]> | undefined;

  constructor(
    run: StepRun<InstallNetworkManifestsInput>,
    hosts: Hosts,
    private readonly sources: ManifestSources,
  ) {
    super(run, hosts);
  }

  /** @throws TerminalError `cluster.no-calico-manifest`, `cluster.bad-manifest`; and as `PackageFiles.read` */
  get objects(): Promise<JsonObject[]> {
    this.#objects ??= this.input.addon === 'calico' ? Promise.resolve(this.#calico()) : this.#ofPackage();
    return this.#objects;
  }

  #calico(): JsonObject[] {
    const { cluster, imageRepository } = this.input;
    if (this.sources.calico !== undefined) return calicoFor(this.sources.calico, { podCidr: cluster.podCidr, imageRepository });
    throw new TerminalError(
      'cluster.no-calico-manifest',
      'this k8s-mgmt has no CALICO_MANIFEST, which there was when the request came: have each k8s-mgmt have the same file, then retry',
    );
  }

  async #ofPackage(): Promise<JsonObject[]> {
    const { manifests } = this.input;
    if (manifests === undefined) throw new InvariantError(`step ${this.run.stepId} has no input "manifests"`);
    const objects: JsonObject[] = [];
    for (const file of manifests) {
      const bytes = await this.sources.packages.read(file, this.run.signal);
      objects.push(...readManifest(bytes.toString('utf8'), `${file.path} of the package`));
    }
    return objects;
  }
}

/**
 * Installs a pod network by manifests. A ConfigMap of the cluster records what was installed. The undo of the control plane is enough: without a
 * control plane there is no API to ask.
 */
export const installNetworkManifests = implementAction(declared<InstallNetworkManifestsInput>('install-network-manifests'), {
  /** The cluster's own record is written last. */
  check: async (context: NetworkContext) => (await installedNetwork(context.cluster))?.sha256 === digestOf(await context.objects),
  apply: async (context) => {
    const objects = await context.objects;
    context.progress(`applying ${objects.length} objects`);
    await applyObjects(context, objects);
    await context.cluster.tryToApply('record-network', networkRecord(objects));
    return undefined;
  },
  stop: (context) => context.stop(),
  // The API server refuses objects of kinds that the same manifests define, until it knows those kinds.
  retry: { attempts: 6, backoff: seconds(3), growth: 2 },
});

/**
 * Applies on the server's side, which keeps no copy of the objects in an annotation: definitions of kinds can be too large for one. Secrets may be
 * among the objects.
 */
async function applyObjects({ cluster }: NetworkContext, items: JsonObject[]): Promise<void> {
  const master = await cluster.living();
  const { status, stderrTail } = await master.host.job('install-network', {
    run: kubectl(master, cmd`apply --server-side --force-conflicts --field-manager=windlass -f -`),
    input: new Secret(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })),
    within: minutes(3),
    okStatuses: [0, 1],
  });
  if (status === 0) return;
  const said = stderrTail.trim().slice(-SHOWN);
  if (REFUSED.test(said))
    throw new TerminalError(
      'cluster.manifest-refused',
      `the cluster refuses what the network add-on's manifests have: ${said}. Correct them, and make the cluster again`,
    );
  throw new TransientError('cluster.refused', `the network add-on's manifests were not applied: ${said}`);
}
