import { describe, expect, it } from 'vitest';
import { inOrder, rowsToDelete } from './apply-order.js';

/** As somebody may have written them: who points at what comes first. */
const WRITTEN = [
  'Ingress',
  'Widget',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Service',
  'RoleBinding',
  'PersistentVolumeClaim',
  'ConfigMap',
  'Role',
  'CustomResourceDefinition',
  'ServiceAccount',
  'StatefulSet',
  'Namespace',
].map((kind) => ({ kind }));
const kindsOf = (objects: readonly { kind: string }[]): string[] => objects.map(({ kind }) => kind);

describe('objects whose documents stand in no order', () => {
  it('are applied so that what each needs is there before it', () => {
    const order = kindsOf(inOrder(WRITTEN));
    const isBefore = (one: string, other: string): boolean => order.indexOf(one) < order.indexOf(other);
    for (const [first, then] of [
      ['Namespace', 'ConfigMap'],
      ['CustomResourceDefinition', 'Widget'],
      ['ServiceAccount', 'RoleBinding'],
      ['Role', 'RoleBinding'],
      ['ConfigMap', 'Deployment'],
      ['PersistentVolumeClaim', 'StatefulSet'],
      ['Service', 'StatefulSet'],
      ['Deployment', 'HorizontalPodAutoscaler'],
      ['Service', 'Ingress'],
    ] as const)
      expect(isBefore(first, then), `${first} before ${then}`).toBe(true);
  });

  it('are deleted in reverse', () => {
    expect(kindsOf(rowsToDelete(inOrder(WRITTEN)).flat())).toEqual(kindsOf(inOrder(WRITTEN)).toReversed());
  });
});
