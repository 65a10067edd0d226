import { MastersContext, type DriverPorts, type PackageFiles, type PersistentVolumesInput } from '@windlass/driver-kit';
import { TerminalError, type Duration } from '@windlass/foundation';
import type { StepRun } from '@windlass/saga';
import { ClusterVolumes, type Waiting } from './cluster-volumes.js';
import { readManifest, type PersistentVolume } from './manifests.js';

/** What an action on a cluster's PersistentVolumes works with. */
export class VolumesContext extends MastersContext<PersistentVolumesInput> {
  readonly #packages: PackageFiles;
  #volumes: ClusterVolumes | undefined;

  /** @param within how long the cluster may take to do what it took on */
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
   * @throws TerminalError `volumes.bad-manifest`, `volumes.same-name`, and as {@link PackageFiles.read}
   */
  async wanted(): Promise<PersistentVolume[]> {
    const all = new Map<string, { volume: PersistentVolume; path: string }>();
    for (const { file, server } of this.input.manifests) {
      const text = (await this.#packages.read(file, this.run.signal)).toString('utf8');
      for (const volume of readManifest(text, { path: file.path, server, instance: this.input.instance })) {
        const other = all.get(volume.name);
        if (other !== undefined)
          throw new TerminalError(
            'volumes.same-name',
            `${other.path} and ${file.path} of the package both have a PersistentVolume ${volume.name}: give each a name of its own`,
          );
        all.set(volume.name, { volume, path: file.path });
      }
    }
    return [...all.values()].map(({ volume }) => volume);
  }
}
