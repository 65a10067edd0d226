import type { PackageFiles, VolumeManifest } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';
import type { PersistentVolume } from './manifests.js';

/** A PersistentVolume, and the file of the package that it stands in. */
export interface WantedVolume {
  volume: PersistentVolume;
  file: string;
}

/** What says which PersistentVolumes there are to be. */
export interface WantedInput {
  /** The VNF instance's id. */
  instance: string;
  manifests: readonly VolumeManifest[];
}

/**
 * Those that the package's manifests say.
 * @throws TerminalError `volumes.bad-manifest`, `volumes.same-name`, and as {@link PackageFiles.read}
 */
export async function wantedVolumes(
  { instance, manifests }: WantedInput,
  packages: PackageFiles,
  signal: AbortSignal,
): Promise<WantedVolume[]> {
  // Loaded only where there is a manifest, because the module brings the YAML parser.
  const { readManifest } = await import('./manifests.js');
  const all = new Map<string, WantedVolume>();
  for (const { file, server } of manifests) {
    const text = (await packages.read(file, signal)).toString('utf8');
    for (const volume of readManifest(text, { path: file.path, server, instance })) {
      const other = all.get(volume.name);
      if (other !== undefined)
        throw new TerminalError(
          'volumes.same-name',
          `${other.file} and ${file.path} of the package both have a PersistentVolume ${volume.name}: give each a name of its own`,
        );
      all.set(volume.name, { volume, file: file.path });
    }
  }
  return [...all.values()];
}
