import type { JsonObject } from '@windlass/foundation';
import { ALL_RESOURCES, groupVersionOf, type ResourceType } from '../kube/resources.js';

const groups = (): string[] => [...new Set(ALL_RESOURCES.map((type) => type.group))].filter((group) => group !== '');

const versionOf = (group: string): string => ALL_RESOURCES.find((type) => type.group === group)?.version ?? 'v1';

const groupOf = (name: string): JsonObject => {
  const version = { groupVersion: `${name}/${versionOf(name)}`, version: versionOf(name) };
  return { name, versions: [version], preferredVersion: version };
};

/** The discovery documents: `/api`, `/apis`, `/api/v1`, `/apis/<group>`, `/apis/<group>/<version>`. Undefined for any other path. */
export function discovery(path: string, address: string): JsonObject | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group, version, ...more] = parts;
  if (more.length > 0) return undefined;
  if (root === 'api' && group === undefined) {
    return {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
    };
  }
  if (root === 'api') return version === undefined ? resourceList('', group ?? '') : undefined;
  if (root !== 'apis') return undefined;
  if (group === undefined) return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups().map(groupOf) };
  if (!groups().includes(group)) return undefined;
  if (version === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) };
  return resourceList(group, version);
}

function resourceList(group: string, version: string): JsonObject | undefined {
  const types = ALL_RESOURCES.filter((type) => type.group === group && type.version === version);
  if (types.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersionOf({ group, version }),
    resources: types.flatMap(entries),
  };
}

const entries = (type: ResourceType): JsonObject[] => [
  {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: [...type.verbs],
    ...(type.shortNames.length === 0 ? {} : { shortNames: [...type.shortNames] }),
    ...(type.categories.length === 0 ? {} : { categories: [...type.categories] }),
  },
  ...type.subresources.map((subresource) => ({
    name: `${type.plural}/${subresource.name}`,
    singularName: '',
    namespaced: type.namespaced,
    ...(subresource.group === undefined ? {} : { group: subresource.group }),
    ...(subresource.version === undefined ? {} : { version: subresource.version }),
    kind: subresource.kind,
    verbs: [...subresource.verbs],
  })),
];
