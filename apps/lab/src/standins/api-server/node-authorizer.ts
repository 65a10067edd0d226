import type { Pod } from '../kube/kinds.js';
import { stringAt } from '../kube/object.js';
import { R, storageKey } from '../kube/resources.js';
import type { Attributes, PolicyObjects } from './rbac.js';

/** Reads that every node may do, as https://kubernetes.io/docs/reference/access-authn-authz/node/ lists them. */
const READS = new Set(['services', 'endpoints', 'nodes', 'pods', 'persistentvolumes', 'persistentvolumeclaims']);
const READING = new Set(['get', 'list', 'watch']);

/**
 * The node authorizer: a kubelet reads what it runs, and writes its own node, its pods' status, its lease, events and
 * certificate requests. Secrets and config maps only if a pod bound to the node refers to them.
 */
export function nodeMay(node: string, attributes: Attributes, objects: PolicyObjects): boolean {
  if (attributes.kind === 'path') return false;
  const { group, resource, subresource, namespace, name, verb } = attributes;
  if (group === '' && READING.has(verb) && READS.has(resource)) return true;
  if (group === '' && verb === 'get' && (resource === 'secrets' || resource === 'configmaps') && name !== undefined) {
    return refersTo(node, resource, namespace ?? '', name, objects);
  }
  if (group === '' && resource === 'nodes') return nodeWrite(node, verb, name);
  if (group === '' && resource === 'pods') return podWrite(verb, subresource);
  if (group === '' && resource === 'events') return ['create', 'patch', 'update'].includes(verb);
  if (group === 'coordination.k8s.io' && resource === 'leases') {
    return namespace === 'kube-node-lease' && (verb === 'create' || name === node);
  }
  if (group === 'certificates.k8s.io' && resource === 'certificatesigningrequests') {
    return ['create', 'get', 'list', 'watch'].includes(verb) && subresource === undefined;
  }
  return false;
}

const nodeWrite = (node: string, verb: string, name: string | undefined): boolean =>
  verb === 'create' || (name === node && ['get', 'patch', 'update'].includes(verb));

/** Which pods is NodeRestriction's matter (admission); the verbs are decided here. */
const podWrite = (verb: string, subresource: string | undefined): boolean =>
  subresource === 'status'
    ? ['get', 'patch', 'update'].includes(verb)
    : subresource === undefined && ['create', 'delete'].includes(verb);

function refersTo(node: string, resource: string, namespace: string, name: string, objects: PolicyObjects): boolean {
  return (objects.list(storageKey(R.pods, namespace)) as Pod[]).some(
    ({ spec }) => spec.nodeName === node && mentions(spec, resource === 'secrets' ? SECRET_REFERENCES : CONFIG_REFERENCES, name),
  );
}

/** Members of a pod's spec that name a secret or a config map, and where in them the name stands. */
const SECRET_REFERENCES = { secret: 'secretName', secretKeyRef: 'name', secretRef: 'name' };
const CONFIG_REFERENCES = { configMap: 'name', configMapKeyRef: 'name', configMapRef: 'name' };

function mentions(value: unknown, references: Record<string, string>, name: string): boolean {
  if (Array.isArray(value)) return value.some((entry) => mentions(entry, references, name));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([member, inner]) => {
    const at = Object.hasOwn(references, member) ? references[member] : undefined;
    if (at !== undefined && stringAt(inner, at) === name) return true;
    return mentions(inner, references, name);
  });
}
