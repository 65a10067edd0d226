import { FakeAnsible, FakeExternalLb, type FakeCluster } from '@windlass/k8s-mgmt/testing';
import { loadSample, type OtherMachines, type Sample } from './samples.js';
import { ANSIBLE_ADDRESS } from './scene-requests.js';
import { INSTANCE } from './world.js';

/** The sample `kubespray` with an Ansible server and the load balancers' programs on VMs, all in memory. */
export async function kubespraySample(): Promise<Sample> {
  return {
    ...(await loadSample('kubespray')),
    machines: otherMachines,
    alsoSeen: (world) => Promise.resolve(world.otherMachines?.seen({ servers: [], volumes: [] })),
  };
}

function otherMachines(nodes: FakeCluster): OtherMachines {
  const serverId = `${INSTANCE}:${ANSIBLE_ADDRESS}`;
  const balancers = new FakeExternalLb({}, nodes.hosts);
  balancers.answersAt = undefined;
  const ansible = new FakeAnsible(nodes, serverId);
  const isServer = (resourceId: string): boolean => resourceId === serverId;
  nodes.hosts
    .on(/^\/bin\/bash -s( 'windlass[^ ]*)?$/, (call) => balancers.looks(call))
    .on(/script\.sh/, (call) => (isServer(call.machine.resourceId) ? ansible.script(call) : balancers.script(call)));
  return {
    seen: () => ({
      files: [...ansible.machine.files].map(([path, { content }]) => `${path}: ${content.toString()}`).sort(),
      balancers: [...balancers.configured.values()],
    }),
  };
}
