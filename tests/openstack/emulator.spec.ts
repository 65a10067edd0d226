import { Secret, millis, seconds, waitUntil } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { OpenStack, readInventory, waitForStack, type VimConnection } from '@windlass/openstack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stackContract } from './stack-contract.js';
import { floatingIpContract } from './testing/floating-ip-contract.js';
import { groupFiles, groupParameters, groupTemplate } from './testing/templates.js';

const connectionOf = (emulator: OpenStackEmulator): VimConnection => ({
  authUrl: emulator.url,
  region: 'RegionOne',
  credentials: {
    kind: 'password',
    username: emulator.tenant.user,
    password: new Secret(emulator.tenant.password),
    project: emulator.tenant.project,
  },
});

const quick = { within: seconds(30), poll: { first: millis(10), most: millis(100), progressEvery: millis(0) } };

stackContract(
  'the emulator',
  async () => {
    const emulator = await OpenStackEmulator.start();
    return {
      connection: connectionOf(emulator),
      ...quick,
      hold: (stackName, delayMs) => void emulator.faults.add({ kind: 'slow-stack', stackName, delayMs, times: 1 }),
      holdPower: () => void emulator.faults.add({ kind: 'slow-power', delayMs: 300, times: 1 }),
      close: async () => {
        const left = emulator.inventory().find(({ project }) => project === emulator.tenant.project);
        await emulator.stop();
        expect(emulator.brokenness).toEqual([]);
        const nothing = {
          stacks: [],
          servers: [],
          serverGroups: [],
          ports: [],
          networks: [],
          subnets: [],
          volumes: [],
          images: [],
        };
        expect(left).toMatchObject(nothing);
      },
    };
  },
  [floatingIpContract],
);

/** What the real OpenStack of tools/openstack has no means for (tokens that live for moments), or takes too long over. */
describe('the emulator besides', () => {
  let emulator: OpenStackEmulator;
  let openStack: OpenStack;
  beforeEach(async () => {
    emulator = await OpenStackEmulator.start({ tokenLife: seconds(2) });
    openStack = OpenStack.open(connectionOf(emulator));
  });
  afterEach(async () => {
    openStack.close();
    await emulator.stop();
  });

  it('makes the replacement first: a full anti-affinity group can not be healed by replacing a server', async () => {
    const spec = { name: 'full', template: groupTemplate, files: groupFiles };
    const ref = await openStack.heat.createStack({ ...spec, parameters: groupParameters(3) });
    await waitForStack(openStack.heat, ref, 'CREATE', quick);
    const [victim] = (await readInventory(openStack, ref)).servers;
    const marked = victim?.place.stack ?? ref;
    await openStack.heat.markUnhealthy(marked, 'workerNode', 'heal');
    await openStack.heat.updateStack(ref, { parameters: groupParameters(3) });
    // As recorded: libs/openstack/src/testing/recorded/full_group_08_resources_after_failed_heal.json
    const words =
      'Went to status ERROR due to "Message: No valid host was found. There are not enough hosts available., Code: 500"';
    await expect(waitForStack(openStack.heat, ref, 'UPDATE', quick)).rejects.toMatchObject({
      code: 'stack.update-failed',
      message: expect.stringContaining(`ResourceInError: resources.workerNode: ${words}`) as string,
    });
    await expect(openStack.heat.getResource(marked, 'workerNode')).resolves.toMatchObject({ status: 'CREATE_FAILED' });
  });

  it('ends tokens, and the session never notices but by asking for another', async () => {
    const first = await openStack.session.token();
    await waitUntil(
      async () => {
        await openStack.heat.listStacks();
        const now = await openStack.session.token();
        return now.expiresAt.getTime() > first.expiresAt.getTime() + 2_000 ? now : undefined;
      },
      { for: 'the third token', within: seconds(20), every: millis(50) },
    );
    expect(emulator.count('GET', /stacks/)).toBeGreaterThan(10);
    expect(emulator.requests.filter(({ status }) => status === 401)).toEqual([]);
  });
});
