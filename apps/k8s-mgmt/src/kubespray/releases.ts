import type { GroupNames, PlaybookKind } from './ansible-input.js';

// What releases of kubespray call things. The guide's table has them by release (docs/guides/kubernetes-kubespray.md); releases.spec.ts holds the two
// against each other.

/** The paths of playbooks in releases, the usual path first: since 2.23 facts.yml lies below playbooks, later under a new name. */
export const PLACES: Readonly<Record<PlaybookKind, readonly [string, ...string[]]>> = {
  cluster: ['cluster.yml', 'playbooks/cluster.yml'],
  scale: ['scale.yml', 'playbooks/scale.yml'],
  remove: ['remove-node.yml', 'remove_node.yml', 'playbooks/remove_node.yml'],
  facts: ['facts.yml', 'playbooks/facts.yml', 'playbooks/internal_facts.yml'],
};

/** What groups are called in sample inventories, the newest name first. */
export const NAMES: Readonly<Record<keyof GroupNames, readonly [string, ...string[]]>> = {
  masters: ['kube_control_plane', 'kube-controlplane', 'kube-master'],
  workers: ['kube_node', 'kube-node'],
  cluster: ['k8s_cluster', 'k8s-cluster'],
  routeReflectors: ['calico_rr', 'calico-rr'],
};
