import { describe, expect, it } from 'vitest';
import type { PolicyRule, Role, RoleBinding, Subject } from '../kube/kinds.js';
import type { KubeObject } from '../kube/object.js';
import { R, storageKey, type ResourceType } from '../kube/resources.js';
import { authenticated } from './identity.js';
import { Rbac, type Attributes } from './rbac.js';

const API = 'rbac.authorization.k8s.io';

function cluster(objects: [ResourceType, KubeObject][]): Rbac {
  const map = new Map(
    objects.map(([type, object]) => [storageKey(type, object.metadata.namespace, object.metadata.name), object]),
  );
  return new Rbac({
    get: (key) => map.get(key),
    list: (prefix) => [...map].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object),
  });
}

const role = (name: string, rules: PolicyRule[], more: Partial<Role['metadata']> = {}): Role => ({
  apiVersion: `${API}/v1`,
  kind: more.namespace === undefined ? 'ClusterRole' : 'Role',
  metadata: { name, ...more },
  rules,
});

const binding = (name: string, kind: string, roleName: string, subject: Subject, namespace?: string): RoleBinding => ({
  apiVersion: `${API}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: API, kind, name: roleName },
  subjects: [subject],
});

const ask = (verb: string, resource: string, more: Partial<Extract<Attributes, { kind: 'resource' }>> = {}): Attributes => ({
  kind: 'resource',
  verb,
  group: '',
  resource,
  ...more,
});

const alice = authenticated('alice', []);

describe('role-based access control', () => {
  it('grants nothing that no rule grants', () => {
    expect(cluster([]).allows(alice, ask('get', 'pods'))).toBe(false);
  });

  it('tells namespaces, resources, subresources, verbs and names apart', () => {
    const rbac = cluster([
      [
        R.roles,
        role('reader', [{ apiGroups: [''], resources: ['pods', 'secrets'], resourceNames: ['one'], verbs: ['get'] }], {
          namespace: 'a',
        }),
      ],
      [R.rolebindings, binding('b', 'Role', 'reader', { kind: 'User', name: 'alice' }, 'a')],
    ]);
    expect(rbac.allows(alice, ask('get', 'pods', { namespace: 'a', name: 'one' }))).toBe(true);
    expect(rbac.allows(alice, ask('get', 'pods', { namespace: 'a', name: 'two' }))).toBe(false);
    expect(rbac.allows(alice, ask('list', 'pods', { namespace: 'a' }))).toBe(false);
    expect(rbac.allows(alice, ask('get', 'pods', { namespace: 'b', name: 'one' }))).toBe(false);
    expect(rbac.allows(alice, ask('get', 'pods', { name: 'one' }))).toBe(false);
    expect(rbac.allows(alice, ask('get', 'pods', { namespace: 'a', name: 'one', subresource: 'status' }))).toBe(false);
    expect(rbac.allows(alice, ask('get', 'pods', { namespace: 'a', name: 'one', group: 'apps' }))).toBe(false);
    expect(rbac.allows(authenticated('bob', []), ask('get', 'pods', { namespace: 'a', name: 'one' }))).toBe(false);
  });

  it('binds users, groups and service accounts', () => {
    const rules: PolicyRule[] = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
    const rbac = cluster([
      [R.clusterroles, role('all', rules)],
      [R.clusterrolebindings, binding('g', 'ClusterRole', 'all', { kind: 'Group', name: 'ops' })],
      [R.clusterrolebindings, binding('s', 'ClusterRole', 'all', { kind: 'ServiceAccount', name: 'robot', namespace: 'a' })],
    ]);
    expect(rbac.allows(authenticated('x', ['ops']), ask('delete', 'nodes'))).toBe(true);
    expect(rbac.allows(authenticated('system:serviceaccount:a:robot', []), ask('delete', 'nodes'))).toBe(true);
    expect(rbac.allows(authenticated('system:serviceaccount:b:robot', []), ask('delete', 'nodes'))).toBe(false);
    expect(rbac.allows(authenticated('x', ['dev']), ask('delete', 'nodes'))).toBe(false);
  });

  it('grants paths by prefix', () => {
    const rbac = cluster([
      [R.clusterroles, role('paths', [{ nonResourceURLs: ['/healthz', '/apis/*'], verbs: ['get'] }])],
      [R.clusterrolebindings, binding('p', 'ClusterRole', 'paths', { kind: 'User', name: 'alice' })],
    ]);
    const path = (text: string, verb = 'get'): boolean => rbac.allows(alice, { kind: 'path', verb, path: text });
    expect([path('/healthz'), path('/apis/apps'), path('/healthz/x'), path('/version'), path('/healthz', 'post')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('adds up the rules of aggregated roles', () => {
    const rbac = cluster([
      [R.clusterroles, { ...role('sum', []), aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] } }],
      [R.clusterroles, role('part', [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }], { labels: { part: 'yes' } })],
      [R.clusterrolebindings, binding('s', 'ClusterRole', 'sum', { kind: 'User', name: 'alice' })],
    ]);
    expect(rbac.allows(alice, ask('list', 'pods'))).toBe(true);
    expect(rbac.allows(alice, ask('get', 'pods'))).toBe(false);
  });

  it('lets nobody hand out more than he holds', () => {
    const rbac = cluster([
      [R.clusterroles, role('some', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }])],
      [R.clusterrolebindings, binding('s', 'ClusterRole', 'some', { kind: 'User', name: 'alice' })],
    ]);
    expect(rbac.holdsAll(alice, [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }], undefined)).toBe(true);
    expect(rbac.holdsAll(alice, [{ apiGroups: [''], resources: ['pods'], verbs: ['*'] }], undefined)).toBe(false);
    expect(rbac.holdsAll(alice, [{ apiGroups: [''], resources: ['*'], verbs: ['get'] }], undefined)).toBe(false);
    expect(rbac.holdsAll(alice, [{ nonResourceURLs: ['*'], verbs: ['get'] }], undefined)).toBe(false);
  });
});
