import { reachableAt, vnfNodes, type VnfModel } from '@windlass/infra-driver';
import { readInventory, waitForDeletion, waitForStack } from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import type { ContractRun } from './contract-vim.js';
import { floatingIpTemplate } from './templates.js';

const model: VnfModel = {
  vdus: [{ id: 'externalLB', storageIds: [] }],
  cps: [{ id: 'externalLB_CP3', vduId: 'externalLB' }],
  virtualLinks: [],
  aspects: [],
};

/**
 * Tests a server with a floating IP on the network `public`, as the kubespray samples' load balancer. Needs a way from `net0` to
 * `public`: a router, in a real OpenStack.
 */
export function floatingIpContract(run: ContractRun): void {
  describe('a floating IP', () => {
    it('is read by the name of its resource and of its port, and goes with its stack', async () => {
      const { heat, neutron } = run.openStack;
      const ref = await heat.createStack({
        name: run.name('floating'),
        template: floatingIpTemplate,
        tags: [run.tag],
        timeoutMinutes: 5,
      });
      await waitForStack(heat, ref, 'CREATE', run.wait);
      const inventory = await readInventory(run.openStack, ref);
      const [node] = vnfNodes('i', model, inventory).vnfcs;
      const [port, ip] = [node?.cps.externalLB_CP3, node?.cps.externalLB_FloatingIP];
      expect(port?.addresses[0]).toMatch(/^10\./);
      expect(ip?.floatingIp).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(ip?.floatingIp).not.toBe(port?.addresses[0]);
      expect(ip?.addresses).toEqual(port?.addresses);
      expect(port === undefined ? undefined : reachableAt(port)).toBe(ip?.floatingIp);
      await heat.deleteStack(ref);
      await waitForDeletion(heat, ref, run.wait);
      await expect(neutron.floatingIpsById(inventory.floatingIps.flatMap(({ physicalId }) => physicalId ?? []))).resolves.toEqual(
        [],
      );
    });
  });
}
