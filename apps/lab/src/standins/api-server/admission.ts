import type { JsonObject } from '@windlass/foundation';
import type { Pod, PolicyRule, Role, RoleBinding } from '../kube/kinds.js';
import { asJson, asObject, at, listAt, sameJson, stringAt, type KubeObject } from '../kube/object.js';
import { R, storageKey, type ResourceType } from '../kube/resources.js';
import { StatusError } from '../kube/status-error.js';
import type { Authorizer } from './authorization.js';
import { nodeNameOf, type Identity } from './identity.js';
import type { PolicyObjects } from './rbac.js';
import { ensureObject, setDefault } from './strategies/strategy.js';

/** What admission knows: who writes, and the cluster's objects. */
export interface AdmissionContext {
  identity: Identity;
  objects: PolicyObjects;
  authorizer: Authorizer;
}

/** The admission plugins of a kubeadm cluster that matter here, for a new object. Changes it in place; throws StatusError 403 or 404. */
export function admitCreate(type: ResourceType, object: JsonObject, context: AdmissionContext): void {
  const node = nodeNameOf(context.identity);
  if (type === R.pods) {
    if (node !== undefined) requireMirrorPod(object, node);
    admitPod(object, context.objects);
  }
  if (type === R.nodes) admitNode(object, node);
  if (type === R.persistentvolumes) addFinalizer(object, 'kubernetes.io/pv-protection');
  if (type === R.persistentvolumeclaims) addFinalizer(object, 'kubernetes.io/pvc-protection');
  if (type === R.certificatesigningrequests) {
    const spec = ensureObject(object, 'spec');
    spec.username = context.identity.name;
    spec.groups = [...context.identity.groups];
  }
  preventEscalation(type, object, context);
}

/** The same for a change of an object. */
export function admitUpdate(
  type: ResourceType,
  next: JsonObject,
  old: KubeObject,
  subresource: string | undefined,
  context: AdmissionContext,
): void {
  const node = nodeNameOf(context.identity);
  if (node !== undefined && type === R.nodes && subresource === undefined) restrictNodeUpdate(next, old, context.identity);
  if (node !== undefined && type === R.pods && (old as Pod).spec.nodeName !== node) {
    throw StatusError.forbidden(
      R.pods,
      old.metadata.name,
      `node "${node}" can only update pod status for pods with spec.nodeName set to itself`,
    );
  }
  if (subresource === undefined && !sameJson(next, asJson(old))) preventEscalation(type, next, context);
}

/** The same for a deletion. */
export function admitDelete(type: ResourceType, old: KubeObject, context: AdmissionContext): void {
  const { name } = old.metadata;
  const node = nodeNameOf(context.identity);
  if (node !== undefined && type === R.pods && (old as Pod).spec.nodeName !== node) {
    throw StatusError.forbidden(R.pods, name, `node "${node}" can only delete pods with spec.nodeName set to itself`);
  }
  if (type === R.namespaces && ['default', 'kube-system', 'kube-public'].includes(name)) {
    throw StatusError.forbidden(R.namespaces, name, 'this namespace may not be deleted');
  }
}

/** NamespaceLifecycle: nothing new in a namespace that is not there or on its way out. */
export function admitNamespace(type: ResourceType, name: string, namespace: KubeObject | undefined, inNamespace: string): void {
  if (namespace === undefined) throw StatusError.notFound(R.namespaces, inNamespace);
  if (namespace.metadata.deletionTimestamp !== undefined) {
    throw StatusError.forbidden(
      type,
      name,
      `unable to create new content in namespace ${inNamespace} because it is being terminated`,
    );
  }
}

function requireMirrorPod(pod: JsonObject, node: string): void {
  const name = stringAt(pod, 'metadata', 'name') ?? '';
  if (stringAt(pod, 'metadata', 'annotations', 'kubernetes.io/config.mirror') === undefined) {
    throw StatusError.forbidden(
      R.pods,
      name,
      `pod does not have "kubernetes.io/config.mirror" annotation, node "${node}" can only create mirror pods`,
    );
  }
  if (stringAt(pod, 'spec', 'nodeName') !== node) {
    throw StatusError.forbidden(R.pods, name, `node "${node}" can only create pods with spec.nodeName set to itself`);
  }
}

const isMirrorPod = (pod: JsonObject): boolean =>
  stringAt(pod, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== undefined;

/** ServiceAccount, Priority and DefaultTolerationSeconds. */
function admitPod(pod: JsonObject, objects: PolicyObjects): void {
  const spec = ensureObject(pod, 'spec');
  const name = stringAt(pod, 'metadata', 'name') ?? '';
  const namespace = stringAt(pod, 'metadata', 'namespace') ?? '';
  if (!isMirrorPod(pod)) {
    setDefault(spec, 'serviceAccountName', 'default');
    const account = stringAt(spec, 'serviceAccountName') ?? 'default';
    if (objects.get(storageKey(R.serviceaccounts, namespace, account)) === undefined) {
      throw StatusError.forbidden(
        R.pods,
        name,
        `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
      );
    }
    spec.serviceAccount = account;
  }
  const priority = stringAt(spec, 'priorityClassName');
  if (priority !== undefined) {
    const value = at(objects.get(storageKey(R.priorityclasses, undefined, priority)), 'value');
    if (typeof value !== 'number') throw StatusError.forbidden(R.pods, name, `no PriorityClass with name ${priority} was found`);
    spec.priority = value;
  }
  const tolerations = listAt(spec, 'tolerations');
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const tolerated = tolerations.some((entry) => {
      const [own, effect] = [stringAt(entry, 'key') ?? '', stringAt(entry, 'effect') ?? ''];
      return (own === key || own === '') && (effect === 'NoExecute' || effect === '');
    });
    if (!tolerated) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec.tolerations = tolerations;
}

/** NodeRestriction's first half, and TaintNodesByCondition: a new node is not ready until its kubelet says so. */
function admitNode(object: JsonObject, node: string | undefined): void {
  const name = stringAt(object, 'metadata', 'name') ?? '';
  if (node !== undefined && name !== node) {
    throw StatusError.forbidden(R.nodes, name, `node "${node}" is not allowed to create node "${name}"`);
  }
  const taints = listAt(object, 'spec', 'taints');
  if (!taints.some((taint) => stringAt(taint, 'key') === 'node.kubernetes.io/not-ready')) {
    taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' });
  }
  ensureObject(object, 'spec').taints = taints;
}

function restrictNodeUpdate(next: JsonObject, old: KubeObject, identity: Identity): void {
  const { name } = old.metadata;
  const before = asJson(old);
  if (!sameJson(at(next, 'spec', 'taints'), at(before, 'spec', 'taints'))) {
    throw StatusError.forbidden(R.nodes, name, `node "${identity.name}" is not allowed to modify taints`);
  }
  const labels = (object: JsonObject): [string, unknown][] =>
    Object.entries((at(object, 'metadata', 'labels') ?? {}) as JsonObject).filter(
      ([key]) => key.startsWith('node-role.kubernetes.io/') || key.startsWith('node-restriction.kubernetes.io/'),
    );
  if (!sameJson(Object.fromEntries(labels(next)), Object.fromEntries(labels(before)))) {
    throw StatusError.forbidden(
      R.nodes,
      name,
      `is not allowed to modify labels: ${labels(next)
        .map(([key]) => key)
        .join(', ')}`,
    );
  }
}

function addFinalizer(object: JsonObject, finalizer: string): void {
  const finalizers = listAt(object, 'metadata', 'finalizers');
  if (!finalizers.includes(finalizer)) ensureObject(object, 'metadata').finalizers = [...finalizers, finalizer];
}

/** Nobody hands out rights that he does not hold, unless a rule with `escalate` or `bind` lets him. */
function preventEscalation(type: ResourceType, object: JsonObject, { identity, objects, authorizer }: AdmissionContext): void {
  if (identity.groups.includes('system:masters')) return;
  const { name, namespace } = asObject(object).metadata;
  const may = (verb: string, of: ResourceType, named: string): boolean =>
    authorizer.allows(identity, {
      kind: 'resource',
      verb,
      group: of.group,
      resource: of.plural,
      name: named,
      ...(namespace === undefined ? {} : { namespace }),
    });
  let rules: PolicyRule[];
  if (type === R.roles || type === R.clusterroles) {
    if (may('escalate', type, name)) return;
    rules = (asObject(object) as Role).rules ?? [];
  } else if (type === R.rolebindings || type === R.clusterrolebindings) {
    const binding = asObject(object) as RoleBinding;
    if (may('bind', binding.roleRef.kind === 'Role' ? R.roles : R.clusterroles, binding.roleRef.name)) return;
    rules = authorizer.rbac.rulesOf(binding, namespace);
    const role =
      binding.roleRef.kind === 'Role'
        ? storageKey(R.roles, namespace, binding.roleRef.name)
        : storageKey(R.clusterroles, undefined, binding.roleRef.name);
    if (objects.get(role) === undefined)
      throw StatusError.notFound(binding.roleRef.kind === 'Role' ? R.roles : R.clusterroles, binding.roleRef.name);
  } else return;
  if (!authorizer.rbac.holdsAll(identity, rules, namespace)) {
    throw StatusError.forbidden(
      type,
      name,
      `user "${identity.name}" (groups=${JSON.stringify(identity.groups)}) is attempting to grant RBAC permissions not currently held`,
    );
  }
}
