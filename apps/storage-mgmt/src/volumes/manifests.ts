import { TerminalError, type JsonObject } from '@windlass/foundation';
import { VOLUME_LABEL } from '@windlass/mgmt-driver';
import { packagedVolumes } from '@windlass/vnf-package';

/** A PersistentVolume as it is registered. */
export interface PersistentVolume {
  name: string;
  /** Address of its NFS server. */
  server: string;
  /** What is mounted of it: `spec.nfs.path`. */
  path: string;
  /** For the API, with server and label. */
  object: JsonObject;
}

/** Where a manifest comes from, and what is put into it. */
export interface ManifestSource {
  /** Path in the package. */
  path: string;
  server: string;
  /** The VNF instance's id. */
  instance: string;
}

/**
 * The PersistentVolumes of a manifest, on this server and with the instance's label.
 * @throws TerminalError `volumes.bad-manifest` with file and document
 */
export function readManifest(text: string, { path: file, server, instance }: ManifestSource): PersistentVolume[] {
  const { volumes, fault } = packagedVolumes(text, file);
  if (fault !== undefined) throw new TerminalError('volumes.bad-manifest', `${file} of the package: ${fault}`);
  return volumes.map(({ name, path, object }) => {
    const { metadata, spec } = object as { metadata: JsonObject; spec: { nfs: JsonObject } };
    return {
      name,
      server,
      path,
      object: {
        ...object,
        metadata: { ...metadata, labels: { ...(metadata.labels as JsonObject | null), [VOLUME_LABEL]: instance } },
        spec: { ...spec, nfs: { ...spec.nfs, server } },
      },
    };
  });
}
