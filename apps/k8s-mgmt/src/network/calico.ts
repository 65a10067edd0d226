import { readFileSync, statSync } from 'node:fs';
import { isJsonObject, TerminalError, type Json, type JsonObject } from '@windlass/foundation';
import { readManifest } from './manifests.js';

/** Calico's, of the manifest that has no operator (docs.tigera.io, "Install using a manifest"). */
const NODE = 'calico-node';

/** Its release has some 350 KiB. */
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Reads the file that the operator names: an absolute path of Calico's own manifest.
 * @returns its objects; undefined where it can't be read, or is something else
 */
export function asCalicoManifest(path: string): readonly JsonObject[] | undefined {
  if (!path.startsWith('/')) return undefined;
  try {
    if (statSync(path).size > MOST_BYTES) return undefined;
    const objects = readManifest(readFileSync(path, 'utf8'), path);
    return objects.some(isNodes) ? objects : undefined;
  } catch (error) {
    if (error instanceof TerminalError || (error as NodeJS.ErrnoException).code !== undefined) return undefined;
    throw error;
  }
}

/** What Calico is told of a cluster. */
export interface CalicoTerms {
  podCidr: string;
  /** Registry and path of its images; as the manifest has them, unless given. */
  imageRepository?: string | undefined;
}

/**
 * The manifest for a cluster. Pods get the cluster's addresses, and images come from the repository. A node's address is that by which the cluster
 * knows the node, unless the manifest decides it: the first address that Calico finds by itself may be the masters' virtual one.
 */
export const calicoFor = (manifest: readonly JsonObject[], { podCidr, imageRepository }: CalicoTerms): JsonObject[] =>
  manifest.map((object) => {
    const configured = isNodes(object) ? withContainers(object, (container) => withPodCidr(container, podCidr)) : object;
    return imageRepository === undefined
      ? configured
      : withContainers(configured, (container) => movedTo(container, imageRepository));
  });

const isNodes = ({ kind, metadata }: JsonObject): boolean =>
  kind === 'DaemonSet' && isJsonObject(metadata) && metadata.name === NODE;

function withPodCidr(container: JsonObject, podCidr: string): JsonObject {
  if (container.name !== NODE) return container;
  const given = Array.isArray(container.env) ? container.env : [];
  const has = (name: string): boolean => given.some((each) => isJsonObject(each) && each.name === name);
  const others = given.filter((each) => !isJsonObject(each) || each.name !== 'CALICO_IPV4POOL_CIDR');
  const own: Json[] = [{ name: 'CALICO_IPV4POOL_CIDR', value: podCidr }];
  if (!has('IP_AUTODETECTION_METHOD')) own.push({ name: 'IP_AUTODETECTION_METHOD', value: 'kubernetes-internal-ip' });
  return { ...container, env: [...others, ...own] };
}

/** The image in the repository, by the last part of its name, as for all images of a cluster. */
const movedTo = (container: JsonObject, repository: string): JsonObject =>
  typeof container.image === 'string'
    ? { ...container, image: `${repository}/${container.image.slice(container.image.lastIndexOf('/') + 1)}` }
    : container;

/** Changes the containers of an object that has a pod template. */
function withContainers(object: JsonObject, change: (container: JsonObject) => JsonObject): JsonObject {
  const { spec } = object;
  const template = isJsonObject(spec) ? spec.template : undefined;
  const pod = isJsonObject(template) ? template.spec : undefined;
  if (!isJsonObject(spec) || !isJsonObject(template) || !isJsonObject(pod)) return object;
  const of = (name: 'initContainers' | 'containers'): JsonObject => {
    const list = pod[name];
    return Array.isArray(list) ? { [name]: list.map((each) => (isJsonObject(each) ? change(each) : each)) } : {};
  };
  return {
    ...object,
    spec: { ...spec, template: { ...template, spec: { ...pod, ...of('initContainers'), ...of('containers') } } },
  };
}
