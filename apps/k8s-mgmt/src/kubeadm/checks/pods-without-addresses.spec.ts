import { Secret, minutes, type JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { checkInstantiation } from './check-instantiation.js';
import { defaultSettings } from '../../settings/settings.js';
import { bench } from '../../testing/bench.js';
import { replaced } from '../../testing/parameter-table.js';
import { guideParams, PARAMS, script, validateRequest } from '../../testing/requests.js';
import type { ClusterInput } from '../../cluster/node-input.js';
import { initConfiguration } from '../../cluster/kubeadm-config.js';
import { flannelManifest } from '../../network/flannel.js';

const withPods = (range: string): JsonObject => replaced(guideParams(), '/master_node/pod_cidr', range);

const checked = (params: JsonObject, more: Parameters<typeof validateRequest>[1] = {}) =>
  checkInstantiation(validateRequest(params, more), defaultSettings);

/** What the driver chose for a flavour that can have seven nodes. */
const chosenFor = (range: string): unknown => {
  const { normalised } = checked(withPods(range));
  return (normalised[PARAMS] as Record<string, JsonObject> | undefined)?.master_node?.pod_node_prefix;
};

/** The documents for `kubeadm init`, by kind. */
function documentsFor(params: JsonObject): Record<string, JsonObject> {
  const { cluster } = bench({ params, workers: 2 }).plan.common as unknown as { cluster: ClusterInput };
  const [node] = cluster.nodes;
  const text = initConfiguration({ node: node!, cluster, version: '1.34.1', token: new Secret('t'), tokenLives: minutes(10) });
  const documents = parseAllDocuments(text).map((document) => document.toJS() as JsonObject & { kind: string });
  return Object.fromEntries(documents.map((document) => [document.kind, document]));
}

describe('the range that a node has for its pods', () => {
  it.each([
    ['192.168.0.0/16', undefined],
    ['192.168.0.0/21', undefined],
    ['192.168.0.0/22', 25],
    ['192.168.3.0/24', 27],
    ['192.168.3.0/25', 28],
  ])('is so much of %s that the last of seven nodes has one, too: /%s', (range, prefix) => {
    expect(checked(withPods(range)).invalidParams).toEqual([]);
    expect(chosenFor(range)).toBe(prefix);
  });

  it('is told with what it holds where it is not the usual one', () => {
    expect(checked(withPods('192.168.3.0/24')).warnings).toContain(
      'the flavour can have 7 nodes: each gets a /27 of pod_cidr 192.168.3.0/24, addresses for 29 pods',
    );
  });

  it('is too small: the refusal says which range would do', () => {
    expect(checked(withPods('192.168.3.0/26')).invalidParams).toEqual([
      {
        path: `/additionalParams/${PARAMS}/master_node/pod_cidr`,
        reason:
          "192.168.3.0/26 is too small: the flavour can have 7 nodes, and each takes at least a /28 of the pods' addresses: give a /25, or a shorter prefix",
      },
    ]);
  });

  it('is left to a packaged script, which shares the addresses out by itself', () => {
    const reply = checked(withPods('192.168.3.0/26'), { files: [script('#!/bin/bash')] });
    expect([reply.invalidParams, reply.normalised]).toEqual([[], {}]);
  });

  it('is told to kubeadm and the kubelets, and flannel gets the whole of it', () => {
    const params = replaced(withPods('192.168.3.0/24'), '/master_node/pod_node_prefix', 27);
    const { ClusterConfiguration: cluster, KubeletConfiguration: kubelets } = documentsFor(params);
    expect(cluster).toMatchObject({
      networking: { podSubnet: '192.168.3.0/24' },
      controllerManager: { extraArgs: [{ name: 'node-cidr-mask-size', value: '27' }] },
    });
    expect(kubelets).toEqual({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', maxPods: 29 });
    expect(JSON.stringify(flannelManifest('192.168.3.0/24').objects)).toContain('\\"Network\\": \\"192.168.3.0/24\\"');
  });

  it('is what kubeadm gives by itself for the usual ranges, which is not said again', () => {
    const documents = documentsFor(guideParams());
    expect(Object.keys(documents)).toEqual(['InitConfiguration', 'ClusterConfiguration']);
    expect(documents.ClusterConfiguration).not.toHaveProperty('controllerManager');
  });

  it('is not there for more VMs than it was made for: nothing is installed', () => {
    const params = replaced(withPods('192.168.3.0/24'), '/master_node/pod_node_prefix', 25);
    expect(() => bench({ params, workers: 2 })).toThrow('pod_cidr 192.168.3.0/24 is enough for 2 nodes, a /25 each; there are 3');
    const packaged = { files: [script('#!/bin/bash')] };
    expect(() => bench({ params, workers: 2, hook: packaged })).not.toThrow();
  });
});

describe('nodes of a VDU', () => {
  it('are told from others by vdu_id, in place of aspect_id', () => {
    const params = guideParams();
    const { master_node: master, worker_node: worker } = params[PARAMS] as Record<string, JsonObject>;
    for (const [group, vdu] of [
      [master!, 'masterNode'],
      [worker!, 'workerNode'],
    ] as const) {
      delete group.aspect_id;
      group.vdu_id = vdu;
    }
    expect(checked(params).invalidParams).toEqual([]);
    const { cluster } = bench({ params, workers: 2 }).plan.common as unknown as { cluster: ClusterInput };
    expect(cluster.nodes.map(({ name }) => name)).toEqual(['master24', 'worker31', 'worker32']);
  });
});
