import type { Vnfc } from '@windlass/mgmt-driver';

/** Characters of a name that stand in a warning. */
const LONGEST_SHOWN = 80;

/** A label's value, as Kubernetes takes it. */
const VALUE = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/**
 * Labels that say where a node's VM stands: those of the cluster guide (`CIS-node`, `kubernetes.io/zone`), and those that the scheduler and others
 * look at (https://kubernetes.io/docs/reference/labels-annotations-taints/). The zone is the grant's, as in the reference system. A label is left out
 * where its value is not known, or is not valid as a label's value.
 */
export function placementLabels({ host, grantedZone }: Pick<Vnfc, 'host' | 'grantedZone'>): Record<string, string> {
  const labels: [string, string | null | undefined][] = [
    ['CIS-node', host],
    ['kubernetes.io/zone', grantedZone],
    ['topology.kubernetes.io/zone', grantedZone],
  ];
  return Object.fromEntries(labels.filter((label): label is [string, string] => isValue(label[1])));
}

/** Warnings of the operation, a sentence for each value that is known and is not valid as a label's value. */
export const withoutLabel = (worker: string, { host, grantedZone }: Pick<Vnfc, 'host' | 'grantedZone'>): string[] =>
  Object.entries({ 'compute host': host, zone: grantedZone }).flatMap(([what, value]) =>
    typeof value !== 'string' || value === '' || VALUE.test(value)
      ? []
      : [
          `${worker} has no label of its ${what} ${JSON.stringify(value.slice(0, LONGEST_SHOWN))}: a label's value has at most 63 letters, digits, ".", "-" and "_", and begins and ends with a letter or a digit`,
        ],
  );

const isValue = (value: string | null | undefined): value is string => typeof value === 'string' && VALUE.test(value);
