import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { FakeCall, FakeReply } from '@windlass/mgmt-driver/testing';
import { bench, type BenchOptions } from './bench.js';
import type { FakeCluster } from './fake-cluster.js';
import { PARAMS, plainParams, script } from './requests.js';

/** The effect of a script by the contract: a worker's node is listed as `worker` with the address's last byte. */
export const joins =
  (world: FakeCluster, nameOf = (address: string) => `worker${address.split('.').at(-1)!}`) =>
  ({ machine, command }: FakeCall): FakeReply => {
    const address = /-w '?([0-9.]+)/.exec(command)?.[1] ?? '';
    const effect = (): void => {
      const node = world.node(machine.resourceId);
      node.ca = world.node('server-master-1').ca;
      node.registersAs = [nameOf(address), { ready: true, address }];
      world.listed.set(...node.registersAs);
    };
    return { stdout: 'This node has joined the cluster\n', effect };
  };

/** The bench of a cluster whose nodes the package's script installs, with more parameters. */
export function packagedBench(
  world: FakeCluster,
  hook: Partial<HookContext>,
  more: BenchOptions & { cluster?: JsonObject } = {},
) {
  const { cluster = {}, ...options } = more;
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, cluster);
  return bench({ workers: 2, world, params, requestParams: {}, hook: { files: [script('#!/bin/bash')], ...hook }, ...options });
}
