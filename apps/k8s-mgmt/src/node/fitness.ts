import { describeDuration, type Duration } from '@windlass/foundation';
import type { Inspected } from './inspection.js';
import type { NodeInput } from '../cluster/node-input.js';

/** How far a node's clock is ahead of ours, in milliseconds: between these two bounds, because the answer took some time. */
export interface ClockOffset {
  least: number;
  most: number;
}

/** A node as it was found. */
export interface FoundNode {
  node: Pick<NodeInput, 'name' | 'role' | 'address'>;
  seen: Inspected;
  clock: ClockOffset;
}

/** kubeadm's own limits of a control plane. */
const CONTROL_PLANE = { cpus: 2, memory: 1_700 } as const;

/** Megabytes: packages, images and their layers of a node without any pod of the user's. */
const LEAST_DISK = 4_000;

/** What flannel's VXLAN takes of each packet, and what IPv4 hosts must be able to take at least. */
const OVERLAY = 50;
const LEAST_POD_MTU = 576;

/** What keeps nodes from becoming a cluster: each with the node's name and what to do. Pure. */
export function unfitness(found: readonly FoundNode[], clockDifference: Duration): string[] {
  return [...found.flatMap((node) => ofNode(node)), ...mtus(found), ...clocks(found, clockDifference)];
}

function ofNode({ node: { name, role, address }, seen }: FoundNode): string[] {
  const faults: string[] = [];
  if (role === 'master' && seen.cpus < CONTROL_PLANE.cpus)
    faults.push(
      `${name} has ${seen.cpus} CPU; a control plane needs ${CONTROL_PLANE.cpus}: choose a larger flavour for the master`,
    );
  if (role === 'master' && seen.memory < CONTROL_PLANE.memory)
    faults.push(
      `${name} has ${seen.memory} MB of memory; a control plane needs ${CONTROL_PLANE.memory}: choose a larger flavour for the master`,
    );
  if (seen.disk < LEAST_DISK)
    faults.push(
      `${name} has ${seen.disk} MB free in /var/lib; ${LEAST_DISK} are needed for packages and images: choose a flavour or a volume with a larger disk`,
    );
  for (const module of seen.lacks)
    faults.push(`${name}'s kernel has no module ${module}: take an image whose kernel has it (Ubuntu: linux-modules-extra)`);
  for (const { name: of, address: other } of seen.hosts)
    faults.push(
      of === 'localhost'
        ? `${name} does not resolve localhost: give its image's /etc/hosts the line "127.0.0.1 localhost"`
        : `${name}'s /etc/hosts has ${of} at ${other}, which the cluster has elsewhere: take that line out of the image`,
    );
  for (const port of seen.taken)
    faults.push(
      `${name} listens on port ${port} already, which Kubernetes needs: take what does so out of the image, or reset the node that it was`,
    );
  if (seen.link.name === 'none')
    faults.push(
      `${name} has no link with the address ${address}: is the port of its CP attached, and its network set up by the image?`,
    );
  else if (seen.link.mtu - OVERLAY < LEAST_POD_MTU)
    faults.push(
      `${name}'s ${seen.link.name} has an MTU of ${seen.link.mtu}, of which the pods' overlay takes ${OVERLAY}: give its network a larger one`,
    );
  for (const peer of seen.cut)
    faults.push(
      `${name}'s packets of ${seen.link.mtu} bytes do not reach ${peer}: give the network's own MTU to ${seen.link.name} (by DHCP, or in the image), or pods lose their large packets`,
    );
  return faults;
}

/** Faults of different MTUs: pods on a node with a larger MTU would send packets that the other nodes can't take. */
function mtus(found: readonly FoundNode[]): string[] {
  const linked = found.filter(({ seen }) => seen.link.name !== 'none');
  if (new Set(linked.map(({ seen }) => seen.link.mtu)).size < 2) return [];
  const each = linked.map(({ node, seen }) => `${node.name} ${seen.link.mtu}`).join(', ');
  return [
    `the nodes' MTUs differ (${each}), and pods of the one would send what the other can't take: give them one network, or one MTU`,
  ];
}

/** Faults of clocks, only where the difference is certain: an answer that took long says little. */
function clocks(found: readonly FoundNode[], most: Duration): string[] {
  const remedy = 'set the time (systemd-timesyncd or chrony in the image, NTP let through the security group)';
  const limit = describeDuration(most);
  const fromOurs = found.flatMap(({ node, clock }) => {
    const off = clock.least > most ? clock.least : clock.most + most < 0 ? clock.most : 0;
    if (off === 0) return [];
    return [
      `${node.name}'s clock is ${seconds(off)} ${off > 0 ? 'ahead of' : 'behind'} this service's, more than ${limit}: ${remedy}`,
    ];
  });
  if (fromOurs.length > 0) return fromOurs;
  return found.flatMap((one, at) =>
    found.slice(at + 1).flatMap((other) => {
      const apart = Math.max(one.clock.least - other.clock.most, other.clock.least - one.clock.most);
      return apart > most
        ? [`the clocks of ${one.node.name} and ${other.node.name} are ${seconds(apart)} apart, more than ${limit}: ${remedy}`]
        : [];
    }),
  );
}

const seconds = (milliseconds: number): string => `${Math.round(Math.abs(milliseconds) / 1_000)} s`;
