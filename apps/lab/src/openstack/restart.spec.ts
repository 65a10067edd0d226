import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineFleet } from '../machine-fleet.js';
import { OpenStackEmulator } from './emulator.js';
import { TestClient, text } from './testing/client.js';
import { groupStack } from './testing/templates.js';

describe('a lab that is started again on its folder', () => {
  let dataDir: string;
  beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), 'emulator-restart-'))));
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  const booted: string[] = [];
  const fleet: MachineFleet = {
    boot: (machine) => {
      booted.push(machine.serverId);
      return Promise.resolve();
    },
    destroy: () => Promise.resolve(),
    reboot: () => Promise.resolve(),
  };

  it('has its stacks, ports, images and project ids still, and boots its machines', async () => {
    const first = await OpenStackEmulator.start({ dataDir, password: 'pw', fleet });
    const client = await TestClient.login(first);
    const requested = groupStack({ desired: 2 });
    const stack = await client.create('kept', requested.template, requested);
    const before = await client.resources(stack);
    const made = await client.glance('POST', '/images', { name: 'mine', disk_format: 'raw', container_format: 'bare' });
    await client.upload(text((made.body as Record<string, string>).id), 'content');
    await first.stop();
    booted.length = 0;

    const second = await OpenStackEmulator.start({ dataDir, password: 'pw', fleet });
    const again = await TestClient.login(second);
    expect(again.projectId).toBe(client.projectId);
    const servers = before.filter((one) => one.resource_type === 'OS::Nova::Server').map((one) => text(one.physical_resource_id));
    expect([...booted].sort()).toEqual(servers.sort());
    expect((await again.resources(stack)).map((one) => one.physical_resource_id)).toEqual(
      before.map((one) => one.physical_resource_id),
    );
    expect((await again.glance('GET', `/images/${text((made.body as Record<string, string>).id)}/file`)).body).toBe('content');
    expect((await again.update(stack, { existing: true, parameters: { n: 1 } })).stack_status).toBe('UPDATE_COMPLETE');
    await again.remove(stack);
    await second.stop();
  });

  it('says of work that was under way that the engine went down, and can delete it', async () => {
    const first = await OpenStackEmulator.start({
      dataDir,
      password: 'pw',
      faults: [{ kind: 'slow-stack', delayMs: 60_000, times: 1 }],
    });
    const client = await TestClient.login(first);
    const requested = groupStack({ desired: 1 });
    await client.heat('POST', '/stacks', { stack_name: 'cut', ...requested });
    await first.stop();
    const second = await OpenStackEmulator.start({ dataDir, password: 'pw' });
    const again = await TestClient.login(second);
    const stack = (await again.stack('cut'))!;
    expect(stack).toMatchObject({ stack_status: 'CREATE_FAILED', stack_status_reason: 'Engine went down during stack CREATE' });
    await again.remove(stack);
    await second.stop();
  });

  it('keeps its state in one file that only its owner reads, always whole', async () => {
    const emulator = await OpenStackEmulator.start({ dataDir, password: 'pw' });
    const client = await TestClient.login(emulator);
    const requested = groupStack({ desired: 1 });
    await client.create('whole', requested.template, requested);
    await emulator.stop();
    const file = join(dataDir, 'openstack.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object)).toContain('stacks');
  });

  it('refuses to go on with addresses of another network', async () => {
    const lab = (cidr: string): { cidr: string; gateway: string; firstAddress: string; lastAddress: string } => {
      const at = (last: number): string => cidr.replace(/\d+\/24$/, String(last));
      return { cidr, gateway: at(1), firstAddress: at(10), lastAddress: at(50) };
    };
    const first = await OpenStackEmulator.start({ dataDir, password: 'pw', network: lab('10.88.1.0/24') });
    const client = await TestClient.login(first);
    const requested = groupStack({ desired: 1 });
    await client.create('moved', requested.template, requested);
    await first.stop();
    await expect(OpenStackEmulator.start({ dataDir, password: 'pw', network: lab('10.88.2.0/24') })).rejects.toThrow(
      /10\.88\.1\.0\/24.*10\.88\.2\.0\/24/,
    );
  });
});
