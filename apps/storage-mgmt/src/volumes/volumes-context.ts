import { MastersContext, type DriverPorts, type PackageFiles, type PersistentVolumesInput } from '@windlass/driver-kit';
import type { Duration } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import { ClusterVolumes, type Waiting } from './cluster-volumes.js';
import type { PersistentVolume } from './manifests.js';
import { wantedVolumes } from './wanted-volumes.js';

/** What an action on a cluster's PersistentVolumes works with. */
export class VolumesContext extends MastersContext<PersistentVolumesInput> {
  readonly #packages: PackageFiles;
  #volumes: ClusterVolumes | undefined;

  /** @param within how long the cluster may take for what it has accepted */
  constructor(
    run: StepRun<PersistentVolumesInput>,
    { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>,
    private readonly within: Duration,
  ) {
    super(run, hosts);
    this.#packages = packages;
  }

  /** Those that the cluster has. */
  get volumes(): ClusterVolumes {
    this.#volumes ??= new ClusterVolumes(this.api, this.input.instance);
    return this.#volumes;
  }

  get waiting(): Waiting {
    const { signal } = this.run;
    return { signal, within: this.within, progress: (line) => this.progress(line) };
  }

  /**
   * Those that the package's manifests say.
   * @throws as {@link wantedVolumes}
   */
  async wanted(): Promise<PersistentVolume[]> {
    const wanted = await wantedVolumes(this.input, this.#packages, this.run.signal);
    return wanted.map(({ volume }) => volume);
  }
}
