import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { nodeIn } from './node-views.js';

const node = (more: { labels?: JsonObject; status?: JsonObject; spec?: JsonObject } = {}): JsonObject => ({
  metadata: { name: 'master10', labels: more.labels ?? { 'node-role.kubernetes.io/control-plane': '' } },
  spec: more.spec ?? {},
  status: {
    nodeInfo: { kubeletVersion: 'v1.34.1', containerRuntimeVersion: 'containerd://2.1', osImage: 'Ubuntu 24.04' },
    addresses: [
      { type: 'InternalIP', address: '10.10.0.10' },
      { type: 'Hostname', address: 'master10' },
    ],
    conditions: [
      { type: 'Ready', status: 'True', message: 'kubelet is posting ready status', lastTransitionTime: '2026-11-27T07:00:00Z' },
    ],
    ...more.status,
  },
});

describe('a node of a cluster’s list', () => {
  it('is told with its role, whether it is Ready, its versions and its addresses', () => {
    expect(nodeIn(node())).toEqual([
      {
        name: 'master10',
        role: 'master',
        ready: 'True',
        reason: null,
        since: '2026-11-27T07:00:00Z',
        schedulable: true,
        version: 'v1.34.1',
        runtime: 'containerd://2.1',
        os: 'Ubuntu 24.04',
        addresses: ['10.10.0.10'],
      },
    ]);
    expect(nodeIn(node({ labels: {}, spec: { unschedulable: true } }))).toMatchObject([{ role: 'worker', schedulable: false }]);
  });

  it('says why it is not Ready, also where its kubelet is silent or has said nothing yet', () => {
    const conditions = [{ type: 'Ready', status: 'Unknown', message: 'Kubelet stopped posting node status.' }];
    expect(nodeIn(node({ status: { conditions } }))).toMatchObject([
      { ready: 'Unknown', reason: 'Kubelet stopped posting node status.', since: null },
    ]);
    expect(nodeIn(node({ status: { conditions: [] } }))).toMatchObject([{ ready: 'Unknown', reason: /not said yet/ }].map(told));
  });

  it('is nothing where it is none, and cut where a cluster says too much', () => {
    for (const none of [null, 7, 'node', [], {}, { metadata: {} }, { metadata: { name: 7 } }]) expect(nodeIn(none)).toEqual([]);
    const addresses = Array.from({ length: 100 }, () => ({ type: 'InternalIP', address: 'a'.repeat(5_000) }));
    const [cut] = nodeIn({ metadata: { name: 'n'.repeat(5_000) }, status: { addresses, conditions: 7, nodeInfo: null } });
    expect([cut?.name.length, cut?.addresses.length, cut?.addresses[0]?.length]).toEqual([1_000, 20, 1_000]);
  });
});

/** A pattern stands for a text that it matches. */
const told = ({ reason, ...rest }: { ready: string; reason: RegExp }): object => ({
  ...rest,
  reason: expect.stringMatching(reason) as unknown,
});
