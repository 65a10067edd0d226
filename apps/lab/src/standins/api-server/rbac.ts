import type { KubeObject } from '../kube/object.js';
import type { PolicyRule, Role, RoleBinding, Subject } from '../kube/kinds.js';
import { R, storageKey } from '../kube/resources.js';
import { matchesSelector } from '../kube/selectors.js';
import type { Identity } from './identity.js';

/** What authorization decides about. */
export type Attributes =
  | {
      kind: 'resource';
      verb: string;
      group: string;
      resource: string;
      subresource?: string;
      namespace?: string;
      name?: string;
    }
  | { kind: 'path'; verb: string; path: string };

/** The objects that RBAC reads. */
export interface PolicyObjects {
  get(key: string): KubeObject | undefined;
  list(prefix: string): KubeObject[];
}

/** Role-based access control, evaluated over the (Cluster)Roles and bindings of the cluster. It only ever grants. */
export class Rbac {
  constructor(private readonly objects: PolicyObjects) {}

  allows(identity: Identity, attributes: Attributes): boolean {
    const namespace = attributes.kind === 'resource' ? attributes.namespace : undefined;
    return this.rulesFor(identity, namespace).some((rule) => covers(rule, attributes));
  }

  /** Every rule that holds for somebody cluster-wide and, if given, in a namespace. */
  rulesFor(identity: Identity, namespace: string | undefined): PolicyRule[] {
    const rules: PolicyRule[] = [];
    for (const binding of this.objects.list(storageKey(R.clusterrolebindings)) as RoleBinding[]) {
      if (appliesTo(binding.subjects, identity)) rules.push(...this.rulesOf(binding, undefined));
    }
    if (namespace === undefined) return rules;
    for (const binding of this.objects.list(storageKey(R.rolebindings, namespace)) as RoleBinding[]) {
      if (appliesTo(binding.subjects, identity)) rules.push(...this.rulesOf(binding, namespace));
    }
    return rules;
  }

  /** The rules behind a binding; none if the role it names is not there. */
  rulesOf({ roleRef }: RoleBinding, namespace: string | undefined): PolicyRule[] {
    const key =
      roleRef.kind === 'Role'
        ? storageKey(R.roles, namespace, roleRef.name)
        : storageKey(R.clusterroles, undefined, roleRef.name);
    const role = this.objects.get(key) as Role | undefined;
    if (role === undefined) return [];
    const selectors = role.aggregationRule?.clusterRoleSelectors;
    if (selectors === undefined) return role.rules ?? [];
    return (this.objects.list(storageKey(R.clusterroles)) as Role[])
      .filter((other) => selectors.some((selector) => matchesSelector(selector, other.metadata.labels)))
      .flatMap((other) => other.rules ?? []);
  }

  /** Whether somebody already holds every right that the rules give: RBAC lets nobody hand out more (escalation). */
  holdsAll(identity: Identity, rules: readonly PolicyRule[], namespace: string | undefined): boolean {
    const held = this.rulesFor(identity, namespace);
    return rules.every((rule) => atoms(rule).every((atom) => held.some((own) => covers(own, atom))));
  }
}

function appliesTo(subjects: readonly Subject[] | null | undefined, identity: Identity): boolean {
  return (subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === identity.name;
    if (subject.kind === 'Group') return identity.groups.includes(subject.name);
    return identity.name === `system:serviceaccount:${subject.namespace ?? ''}:${subject.name}`;
  });
}

/** Whether one rule grants one request. */
export function covers(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === 'path') return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, attributes.path));
  const { group, resource, subresource, name } = attributes;
  if (!has(rule.apiGroups ?? [], group)) return false;
  const asked = subresource === undefined ? resource : `${resource}/${subresource}`;
  const named = (rule.resources ?? []).some(
    (entry) => entry === '*' || entry === asked || (subresource !== undefined && entry === `*/${subresource}`),
  );
  if (!named) return false;
  const names = rule.resourceNames ?? [];
  return names.length === 0 || (name !== undefined && names.includes(name));
}

const has = (list: readonly string[], value: string): boolean => list.includes('*') || list.includes(value);

const pathMatches = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));

/** A rule taken apart into single rights, so that they can be checked one by one; `*` stays itself. */
function atoms(rule: PolicyRule): Attributes[] {
  const paths = (rule.nonResourceURLs ?? []).flatMap((path) =>
    rule.verbs.map((verb): Attributes => ({ kind: 'path', verb, path })),
  );
  const names: (string | undefined)[] = rule.resourceNames ?? [];
  const resources = rule.verbs.flatMap((verb) =>
    (rule.apiGroups ?? []).flatMap((group) =>
      (rule.resources ?? []).flatMap((entry) =>
        (names.length === 0 ? [undefined] : names).map((name): Attributes => {
          const [resource = '', subresource] = entry.split('/');
          return {
            kind: 'resource',
            verb,
            group,
            resource,
            ...(subresource === undefined ? {} : { subresource }),
            ...(name === undefined ? {} : { name }),
          };
        }),
      ),
    ),
  );
  return [...paths, ...resources];
}
