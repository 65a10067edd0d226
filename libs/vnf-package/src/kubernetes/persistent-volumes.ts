import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { PackageError } from '../refusals/package-error.js';
import { plainYaml, yamlDocuments } from '../yaml/plain-yaml.js';

/** A PersistentVolume on an NFS server, as a manifest of a package has it. */
export interface PackagedVolume {
  name: string;
  /** `spec.nfs.path`. */
  path: string;
  object: JsonObject;
}

/** A DNS subdomain, as names of PersistentVolumes are. */
const NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** A path as Kubernetes takes it, without control characters: it is an argument and a line of a table. */
const PATH = /^(?!.*\/\.\.(\/|$))\/[^\x00-\x1f\x7f]{0,1023}$/;

/** What a manifest has; no volumes where it has a fault. */
export interface PackagedVolumes {
  volumes: PackagedVolume[];
  /** Why it is no manifest of such, with the document: `document 2 is of kind "Secret"; PersistentVolume was expected`. */
  fault?: string;
}

/** Ends the reading of a manifest. */
class Fault extends Error {}

/**
 * The PersistentVolumes of a manifest. Numbers and booleans are read as Kubernetes reads them.
 * @param file its path in the package
 */
export function packagedVolumes(text: string, file: string): PackagedVolumes {
  const documents = yamlDocuments(text);
  if (documents.length === 0) return { volumes: [], fault: 'it is empty; a PersistentVolume was expected' };
  try {
    return { volumes: documents.map((document, n) => readVolume(parsed(document, file, n + 1), n + 1)) };
  } catch (error) {
    if (error instanceof Fault) return { volumes: [], fault: error.message };
    throw error;
  }
}

function parsed(text: string, file: string, n: number): JsonObject {
  try {
    return plainYaml(text, file, 'kubernetes');
  } catch (error) {
    if (error instanceof PackageError) throw bad(n, `is no YAML map: ${error.reason}`);
    throw error;
  }
}

function readVolume(object: JsonObject, n: number): PackagedVolume {
  const { kind, metadata, spec } = object;
  if (kind !== 'PersistentVolume') throw bad(n, `is of kind ${shown(kind)}; PersistentVolume was expected`);
  if (object.apiVersion !== 'v1') throw bad(n, `has apiVersion ${shown(object.apiVersion)}; v1 was expected`);
  const name = isJsonObject(metadata) ? metadata.name : undefined;
  if (!isJsonObject(metadata) || typeof name !== 'string' || !NAME.test(name))
    throw bad(n, `has metadata.name ${shown(name)}; a name of lower case letters, digits, "-" and "." was expected`);
  if (!isJsonObject(metadata.labels ?? {})) throw bad(n, `(${name}) has metadata.labels that are no map`);
  const nfs = isJsonObject(spec) ? spec.nfs : undefined;
  if (!isJsonObject(nfs)) throw bad(n, `(${name}) has no spec.nfs; a volume of an NFS server was expected`);
  const { path } = nfs;
  if (typeof path !== 'string' || !PATH.test(path))
    throw bad(n, `(${name}) has spec.nfs.path ${shown(path)}; an absolute path without ".." was expected`);
  return { name, path, object };
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100));

const bad = (n: number, reason: string): Fault => new Fault(`document ${n} ${reason}`);
