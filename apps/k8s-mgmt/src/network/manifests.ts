import { isJsonObject, TerminalError, type JsonObject } from '@windlass/foundation';
import { PackageError, plainYaml, yamlDocuments } from '@windlass/vnf-package';

/**
 * The objects of a manifest (YAML or JSON), one after another; a list's are its items. Numbers and booleans are read as Kubernetes reads them.
 * @param what the file, as its reader knows it
 * @throws TerminalError `cluster.bad-manifest` with file and document
 */
export function readManifest(text: string, what: string): JsonObject[] {
  const documents = yamlDocuments(text);
  if (documents.length === 0) throw bad(what, 'is empty; objects of Kubernetes were expected');
  return documents.flatMap((document, n) => objectsOf(parsed(document, what, n + 1), `${what}, document ${n + 1},`));
}

function parsed(text: string, what: string, n: number): JsonObject {
  try {
    return plainYaml(text, what, 'kubernetes');
  } catch (error) {
    if (error instanceof PackageError) throw bad(`${what}, document ${n},`, `is no YAML map: ${error.message}`);
    throw error;
  }
}

function objectsOf(object: JsonObject, where: string): JsonObject[] {
  const { apiVersion, kind, metadata, items } = object;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string')
    throw bad(where, 'has no apiVersion and kind: an object of Kubernetes was expected');
  if (kind.endsWith('List') && Array.isArray(items)) {
    if (!items.every(isJsonObject)) throw bad(where, 'is a list of what are no objects');
    return items.flatMap((item) => objectsOf(item, where));
  }
  if (!isJsonObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '')
    throw bad(where, `(${kind}) has no metadata.name`);
  return [object];
}

const bad = (where: string, reason: string): TerminalError => new TerminalError('cluster.bad-manifest', `${where} ${reason}`);
