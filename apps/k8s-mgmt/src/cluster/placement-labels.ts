import type { Vnfc } from '@windlass/mgmt-driver';

/** A label's value, as Kubernetes takes it. */
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/**
 * Where a node's VM stands, as labels: those of the cluster guide (`CIS-node`, `kubernetes.io/zone`), and what the scheduler and others look at
 * (https://kubernetes.io/docs/reference/labels-annotations-taints/). The zone is the grant's, as in the reference system. What is not known, and what is no
 * label's value, is left out: nothing else is ever said in its place.
 */
export function placementLabels({ host, grantedZone }: Pick<Vnfc, 'host' | 'grantedZone'>): Record<string, string> {
  const labels: [string, string | null | undefined][] = [
    ['CIS-node', host],
    ['kubernetes.io/zone', grantedZone],
    ['topology.kubernetes.io/zone', grantedZone],
  ];
  return Object.fromEntries(
    labels.filter((label): label is [string, string] => typeof label[1] === 'string' && VALUE.test(label[1])),
  );
}
