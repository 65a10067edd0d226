import fc from 'fast-check';
import { expect, it } from 'vitest';
import { OpenStackEmulator } from './emulator.js';
import { at, TestClient, text } from './testing/client.js';
import { attachmentStack, groupStack, networkStack, volumeStack } from './testing/templates.js';

type Step =
  | { do: 'resize'; n: number }
  | { do: 'mark'; which: number }
  | { do: 'update' }
  | { do: 'fail'; resource: string }
  | { do: 'delete-server'; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('resize' as const), n: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ do: fc.constant('mark' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('update' as const) }),
  fc.record({ do: fc.constant('fail' as const), resource: fc.constantFrom('vdu', 'cp', 'OS::Cinder::Volume', 'member.yaml') }),
  fc.record({ do: fc.constant('delete-server' as const), which: fc.nat(5) }),
);

const kinds = {
  group: groupStack({ desired: 2 }),
  spread: groupStack({ desired: 2, spread: true }),
  volumes: { template: volumeStack, files: {}, parameters: {} },
  ownPort: { template: networkStack, files: {}, parameters: {} },
  attachment: { template: attachmentStack, files: {}, parameters: {} },
};

it('whatever happens to a stack on the way, deleting it leaves nothing', { timeout: 60_000 }, async () => {
  const emulator = await OpenStackEmulator.start();
  const client = await TestClient.login(emulator);
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(kinds)), fc.array(step, { maxLength: 6 }), async (kind, steps) => {
      const requested = kinds[kind as keyof typeof kinds];
      turn += 1;
      const stack = await client.create(`leak-${turn}`, requested.template, requested);
      for (const one of steps) await take(emulator, client, stack, one);
      emulator.faults.clear();
      await client.remove(stack);
      const left = emulator.inventory().find((inventory) => inventory.project === 'vnfm');
      expect(left).toMatchObject({ stacks: [], servers: [], serverGroups: [], ports: [], networks: [], volumes: [] });
    }),
    { numRuns: 30 },
  );
  expect(emulator.brokenness).toEqual([]);
  await emulator.stop();
});

async function take(
  emulator: OpenStackEmulator,
  client: TestClient,
  stack: Parameters<TestClient['update']>[0],
  one: Step,
): Promise<void> {
  const resources = await client.resources(stack);
  if (one.do === 'resize') await client.update(stack, { existing: true, parameters: { n: one.n } });
  else if (one.do === 'update') await client.update(stack, { existing: true });
  else if (one.do === 'fail') emulator.faults.add({ kind: 'fail-resource', resource: one.resource, reason: 'chance', times: 1 });
  else if (one.do === 'mark') {
    const target = resources[one.which % resources.length];
    if (target !== undefined) await client.mark(target);
  } else {
    const servers = at((await client.nova('GET', '/servers')).body, 'servers');
    const target = Array.isArray(servers) ? servers[one.which % Math.max(1, servers.length)] : undefined;
    if (target !== undefined) await client.nova('DELETE', `/servers/${text(at(target, 'id'))}`);
  }
}
