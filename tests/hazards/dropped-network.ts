import { seconds } from '@windlass/foundation';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Network, Peer } from './support/network.js';
import type { Rig } from './support/rig.js';

const PAIRS: [string, Peer][] = [
  ['saga-coordinator', 'PostgreSQL'],
  ['lcm-api', 'PostgreSQL'],
  ['vim-registry', 'PostgreSQL'],
  ['saga-coordinator', 'NATS'],
  ['lcm-api', 'NATS'],
  ['vim-registry', 'NATS'],
  ['infra-driver', 'NATS'],
  ['infra-driver', 'OpenStack'],
];

/** Twice the lease of the rig. */
const LONGER_THAN_THE_LEASE = seconds(4);

export function droppedNetwork(rigOf: () => Rig, networkOf: () => Network): void {
  describe.each([
    ['saga-coordinator', 'PostgreSQL'],
    ['infra-driver', 'NATS'],
  ] as [string, Peer][])('a firewall between %s and %s that forgets their connections', (service, peer) => {
    it('is noticed without a word from it: new ones are made, the operation completes, and nothing is doubled', async () => {
      const rig = rigOf();
      const road = networkOf().between(service, peer);
      const before = rig.inventory();
      const made = rig.stacksMade();
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1));
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      road.blackHole();
      road.healForNew();
      await rig.completed(instantiation);
      await rig.completed(await rig.terminate(vnf));
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
    });
  });

  describe.each(PAIRS)('a network that drops between %s and %s', (service, peer) => {
    it('for longer than the lease, without a word, and then heals: the operation completes, and nothing is doubled', async () => {
      const rig = rigOf();
      const road = networkOf().between(service, peer);
      const before = rig.inventory();
      const made = rig.stacksMade();
      const pids = rig.deployment.processes.map(({ pid }) => pid);
      const vnf = await rig.createVnf();
      rig.slow(vnf, seconds(1), 'always');
      const instantiation = await rig.instantiate(vnf);
      await rig.stack(vnf, 'CREATE_IN_PROGRESS');
      road.blackHole();
      // The hazard is the time itself: the operation ends within it, or cannot.
      await pause(LONGER_THAN_THE_LEASE);
      road.heal();
      await rig.completed(instantiation);
      const termination = await rig.terminate(vnf);
      await rig.stack(vnf, 'DELETE_IN_PROGRESS');
      road.cut();
      await rig.completed(termination);
      expect(rig.stacksMade() - made).toBe(1);
      await rig.hasAgain(before);
      expect(rig.deployment.processes.map(({ pid }) => pid)).toEqual(pids);
    });
  });
}
