import { isJsonObject, TerminalError, type JsonObject } from '@windlass/foundation';
import { VOLUME_LABEL } from '@windlass/mgmt-driver';
import { PackageError, plainYaml, yamlDocuments } from '@windlass/vnf-package';

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

/** A DNS subdomain, as names of PersistentVolumes are. */
const NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** A path as Kubernetes takes it, without control characters: it is an argument and a line of a table. */
const PATH = /^(?!.*\/\.\.(\/|$))\/[^\x00-\x1f\x7f]{0,1023}$/;

/**
 * The PersistentVolumes of a manifest, on this server and with the instance's label. Numbers and booleans are read as Kubernetes reads them.
 * @throws TerminalError `volumes.bad-manifest` with file and document
 */
export function readManifest(text: string, source: ManifestSource): PersistentVolume[] {
  const documents = yamlDocuments(text);
  if (documents.length === 0) throw bad(source, undefined, 'is empty; a PersistentVolume was expected');
  return documents.map((document, n) => readVolume(parsed(document, source, n + 1), source, n + 1));
}

function parsed(text: string, source: ManifestSource, n: number): JsonObject {
  try {
    return plainYaml(text, source.path);
  } catch (error) {
    if (error instanceof PackageError) throw bad(source, n, `is no YAML map: ${error.message}`);
    throw error;
  }
}

function readVolume(object: JsonObject, source: ManifestSource, n: number): PersistentVolume {
  const { kind, metadata, spec } = object;
  if (kind !== 'PersistentVolume') throw bad(source, n, `is of kind ${shown(kind)}; PersistentVolume was expected`);
  if (object.apiVersion !== 'v1') throw bad(source, n, `has apiVersion ${shown(object.apiVersion)}; v1 was expected`);
  const name = isJsonObject(metadata) ? metadata.name : undefined;
  if (!isJsonObject(metadata) || typeof name !== 'string' || !NAME.test(name))
    throw bad(source, n, `has metadata.name ${shown(name)}; a name of lower case letters, digits, "-" and "." was expected`);
  const nfs = isJsonObject(spec) ? spec.nfs : undefined;
  if (!isJsonObject(spec) || !isJsonObject(nfs))
    throw bad(source, n, `(${name}) has no spec.nfs; a volume of an NFS server was expected`);
  const { path } = nfs;
  if (typeof path !== 'string' || !PATH.test(path))
    throw bad(source, n, `(${name}) has spec.nfs.path ${shown(path)}; an absolute path without ".." was expected`);
  const { labels = {} } = metadata;
  if (!isJsonObject(labels ?? {})) throw bad(source, n, `(${name}) has metadata.labels that are no map`);
  return {
    name,
    server: source.server,
    path,
    object: {
      ...object,
      metadata: { ...metadata, labels: { ...(labels as JsonObject | null), [VOLUME_LABEL]: source.instance } },
      spec: { ...spec, nfs: { ...nfs, server: source.server } },
    },
  };
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));

const bad = ({ path }: ManifestSource, n: number | undefined, reason: string): TerminalError =>
  new TerminalError('volumes.bad-manifest', `${path} of the package${n === undefined ? '' : `, document ${n},`} ${reason}`);
