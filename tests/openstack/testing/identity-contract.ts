import { Secret } from '@windlass/foundation';
import { OpenStack, type VimConnection } from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import type { ContractRun } from './contract-vim.js';

/** Tests Keystone, and how resources are found by name in the other services. */
export function identityContract(run: ContractRun): void {
  const refused = async (connection: VimConnection): Promise<unknown> => {
    const openStack = OpenStack.open(connection);
    try {
      return await openStack.session.token();
    } catch (error) {
      return error;
    } finally {
      openStack.close();
    }
  };
  const withPassword = (change: { username?: string; password?: Secret; project?: string }): VimConnection => {
    const { credentials } = run.connection;
    if (credentials.kind !== 'password') throw new Error('the contract needs a user with a password');
    return { ...run.connection, credentials: { ...credentials, ...change } };
  };

  describe('Keystone', () => {
    it('refuses a wrong password, an unknown user and an unknown project alike', async () => {
      const wrong = [{ password: new Secret('wrong') }, { username: 'nobody' }, { project: 'nowhere' }];
      for (const change of wrong) {
        expect(await refused(withPassword(change))).toMatchObject({ name: 'TerminalError', code: 'openstack.unauthorized' });
      }
    });

    it('says whose a token is, and knows nothing of one that was never issued', async () => {
      const { identity, session } = run.openStack;
      const token = await session.token();
      expect(token.roles).toContain('member');
      await expect(identity.validate(token.id)).resolves.toMatchObject({
        userId: token.userId,
        userName: token.userName,
        projectId: token.projectId,
      });
      await expect(identity.validate(new Secret('gAAAAAnever-issued'))).resolves.toBeUndefined();
    });

    it('takes a token back, and the session gets another by itself', async () => {
      const openStack = OpenStack.open(run.connection);
      const old = await openStack.session.token();
      await openStack.session.request('identity', {
        method: 'DELETE',
        path: '/auth/tokens',
        headers: { 'X-Subject-Token': old.id.reveal() },
        expect: [204],
      });
      await expect(openStack.identity.regions()).resolves.toContain('RegionOne');
      expect((await openStack.session.token()).id.reveal()).not.toBe(old.id.reveal());
      await expect(run.openStack.identity.validate(old.id)).resolves.toBeUndefined();
      openStack.close();
    });

    it('issues a token for a token, which ends when the first does', async () => {
      const first = await run.openStack.session.token();
      const { credentials } = run.connection;
      const project = { id: first.projectId ?? '' };
      const openStack = OpenStack.open({ ...run.connection, credentials: { kind: 'token', token: first.id, project } });
      const second = await openStack.session.token();
      expect(second.expiresAt).toEqual(first.expiresAt);
      expect(second.userName).toBe(credentials.kind === 'password' ? credentials.username : undefined);
      await expect(openStack.identity.projects()).resolves.toContainEqual(expect.objectContaining({ id: first.projectId }));
      openStack.close();
    });
  });

  describe('by name', () => {
    it('there are flavours, networks, zones', async () => {
      const { nova, neutron } = run.openStack;
      await expect(nova.findFlavor('m1.tiny')).resolves.toMatchObject({ name: 'm1.tiny', vcpus: 1, ramMiB: 512, diskGiB: 1 });
      await expect(nova.findFlavor('m1.none')).resolves.toBeUndefined();
      const net0 = await neutron.findNetwork('net0');
      expect(net0).toMatchObject({ name: 'net0', external: false, subnetIds: [expect.any(String) as string] });
      await expect(neutron.findNetwork(net0?.id ?? '')).resolves.toEqual(net0);
      await expect(neutron.findNetwork('none')).resolves.toBeUndefined();
      await expect(nova.availabilityZones()).resolves.toContainEqual({ name: 'nova', available: true });
    });

    it('nothing is found by an id that nobody has', async () => {
      const { nova, neutron, cinder, glance } = run.openStack;
      const id = '00000000-0000-4000-8000-000000000000';
      await expect(nova.getServer(id)).resolves.toBeUndefined();
      await expect(neutron.getPort(id)).resolves.toBeUndefined();
      await expect(neutron.portsById([id])).resolves.toEqual([]);
      await expect(neutron.floatingIpsById([id])).resolves.toEqual([]);
      await expect(cinder.getVolume(id)).resolves.toBeUndefined();
      await expect(cinder.deleteVolume(id)).resolves.toBe(false);
      await expect(glance.getImage(id)).resolves.toBeUndefined();
      await expect(glance.deleteImage(id)).resolves.toBe(false);
    });
  });
}
