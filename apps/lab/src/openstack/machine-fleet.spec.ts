import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MachineNic, MachineFleet, MachineSpec, MachineVolume } from '../machine-fleet.js';
import { OpenStackEmulator } from './emulator.js';
import { at, pathOf, TestClient, text } from './testing/client.js';
import { attachmentStack, groupStack, templateOf, volumeStack } from './testing/templates.js';

/** A fleet that notes what is asked of it; machines run as soon as `gate` lets them. */
class RecordingFleet implements MachineFleet {
  readonly running = new Map<string, MachineSpec>();
  readonly asked: string[] = [];
  gate: (machine: MachineSpec) => Promise<void> = () => Promise.resolve();
  consoleLog?: (serverId: string) => Promise<string>;

  async boot(machine: MachineSpec): Promise<void> {
    this.asked.push(`boot ${machine.name}`);
    await this.gate(machine);
    this.running.set(machine.serverId, machine);
  }
  destroy(serverId: string): Promise<void> {
    this.asked.push(`destroy ${this.running.get(serverId)?.name ?? serverId}`);
    this.running.delete(serverId);
    return Promise.resolve();
  }
  reboot(serverId: string): Promise<void> {
    this.asked.push(`reboot ${serverId}`);
    return Promise.resolve();
  }
}

/** One that can also change machines that run. */
class ChangingFleet extends RecordingFleet {
  attachVolume(serverId: string, volume: MachineVolume): Promise<void> {
    this.asked.push(`attach ${volume.device}`);
    this.running.get(serverId)?.volumes.push(volume);
    return Promise.resolve();
  }
  detachVolume(serverId: string, volumeId: string): Promise<void> {
    const machine = this.running.get(serverId);
    if (machine !== undefined) machine.volumes = machine.volumes.filter((one) => one.volumeId !== volumeId);
    return Promise.resolve();
  }
  shutDown(serverId: string): Promise<void> {
    this.asked.push(`shut down ${serverId}`);
    return Promise.resolve();
  }
  replug(serverId: string, nics: MachineNic[]): Promise<void> {
    const machine = this.running.get(serverId);
    if (machine !== undefined) machine.nics = nics;
    return Promise.resolve();
  }
}

describe('a server is a machine of the fleet', () => {
  let emulator: OpenStackEmulator;
  let client: TestClient;
  let fleet: RecordingFleet;
  const begin = async (made: RecordingFleet): Promise<void> => {
    fleet = made;
    emulator = await OpenStackEmulator.start({
      fleet,
      network: { cidr: '10.77.3.0/24', gateway: '10.77.3.1', firstAddress: '10.77.3.10', lastAddress: '10.77.3.20' },
    });
    client = await TestClient.login(emulator);
  };
  beforeEach(() => begin(new RecordingFleet()));
  afterEach(async () => {
    expect(emulator.brokenness).toEqual([]);
    await emulator.stop();
  });

  const server = (name: string, image = 'cirros'): string =>
    templateOf(`  cp:
    type: OS::Neutron::Port
    properties: {network: net0, allowed_address_pairs: [{ip_address: 10.77.3.200}]}
  other: {type: OS::Neutron::Port, properties: {network: net1}}
  ${name}: {type: OS::Nova::Server, properties: {name: ${name}, flavor: m1.tiny, image: ${image}, networks: [{port: {get_resource: cp}}, {port: {get_resource: other}}]}}\n`);

  it('booted with its name, its image by name, the memory of its flavour, and its cards of the lab network only', async () => {
    const stack = await client.create('one', server('alpha'));
    const id = text((await client.resources(stack)).find((one) => one.resource_name === 'alpha')?.physical_resource_id);
    expect(fleet.running.get(id)).toEqual({
      serverId: id,
      name: 'alpha',
      imageName: 'cirros',
      memoryMiB: 512,
      nics: [
        {
          mac: expect.stringMatching(/^fa:16:3e(:[0-9a-f]{2}){3}$/) as string,
          address: '10.77.3.10',
          prefixLength: 24,
          allowedAddresses: ['10.77.3.200'],
        },
      ],
      volumes: [],
    });
    await client.remove(stack);
    expect(fleet.running.size).toBe(0);
    expect(fleet.asked).toEqual(['boot alpha', 'destroy alpha']);
  });

  it('shows what its machine wrote on the console, as many of the last lines as are asked for, without control characters', async () => {
    const stack = await client.create('one', server('alpha'));
    const id = text((await client.resources(stack)).find((one) => one.resource_name === 'alpha')?.physical_resource_id);
    const ask = (options: JsonObject) => client.nova('POST', `/servers/${id}/action`, { 'os-getConsoleOutput': options });
    expect(await ask({})).toMatchObject({ status: 501 });
    fleet.consoleLog = (serverId) => Promise.resolve(`booting ${serverId}\r\n\u001b[32mOK\u001b[0m\tready\nlogin: \n`);
    expect((await ask({})).body).toEqual({ output: `booting ${id}\n[32mOK[0m\tready\nlogin: \n` });
    expect((await ask({ length: 2 })).body).toEqual({ output: 'login: \n' });
    expect((await ask({ length: '-1' })).body).toEqual((await ask({ length: null })).body);
    expect((await ask({ length: 'all' })).status).toBe(400);
  });

  it('has no console before its machine runs', async () => {
    let open = (): void => undefined;
    const asked = new Promise<MachineSpec>((resolve) => {
      fleet.gate = (machine) => {
        resolve(machine);
        return new Promise((done) => (open = done));
      };
    });
    fleet.consoleLog = () => Promise.reject(new Error('asked for a machine that does not run'));
    await client.heat('POST', '/stacks', { stack_name: 'slow', template: server('alpha') });
    const { serverId } = await asked;
    const { status, body } = await client.nova('POST', `/servers/${serverId}/action`, { 'os-getConsoleOutput': {} });
    expect({ status, message: at(at(body, 'conflictingRequest'), 'message') }).toEqual({
      status: 409,
      message: `Instance ${serverId} is not ready`,
    });
    open();
    await client.settled('slow');
  });

  it('takes the image of its boot volume, and its other volumes as disks', async () => {
    await client.create('disks', volumeStack.replace('10.10.0.200', '10.77.3.200'));
    const [machine] = [...fleet.running.values()];
    expect(machine).toMatchObject({ name: 'storage', imageName: 'cirros' });
    expect(machine?.volumes).toEqual([{ volumeId: expect.any(String) as string, device: '/dev/vdb', sizeGiB: 2 }]);
  });

  it('is BUILD while the fleet boots, and the stack in progress', async () => {
    let open = (): void => undefined;
    fleet.gate = () => new Promise((resolve) => (open = resolve));
    await client.heat('POST', '/stacks', { stack_name: 'slow', template: server('beta') });
    const servers = await waitUntil(
      async () => {
        const found = at((await client.nova('GET', '/servers/detail')).body, 'servers');
        return Array.isArray(found) && found.length > 0 ? found : undefined;
      },
      { for: 'the server', within: seconds(20), every: millis(5) },
    );
    expect(at(servers[0]!, 'status')).toBe('BUILD');
    expect((await client.stack('slow'))?.stack_status).toBe('CREATE_IN_PROGRESS');
    open();
    expect((await client.settled('slow')).stack_status).toBe('CREATE_COMPLETE');
  });

  it('is in ERROR where the fleet refuses, and the reason reaches the stack', async () => {
    fleet.gate = (machine) => Promise.reject(new Error(`no root file system for image ${machine.imageName}`));
    const stack = await client.create('refused', server('gamma', 'image-1.0.0'));
    expect(stack.stack_status_reason).toBe(
      'Resource CREATE failed: ResourceInError: resources.gamma: Went to status ERROR due to "Message: no root file system for image image-1.0.0, Code: 500"',
    );
    const id = text((await client.resources(stack)).find((one) => one.resource_name === 'gamma')?.physical_resource_id);
    const shown = at((await client.nova('GET', `/servers/${id}`)).body, 'server');
    expect(at(shown, 'status')).toBe('ERROR');
    expect(at(at(shown, 'fault'), 'message')).toBe('no root file system for image image-1.0.0');
    fleet.gate = () => Promise.resolve();
    expect((await client.update(stack, { existing: true })).stack_status).toBe('UPDATE_COMPLETE');
    expect(fleet.running.size).toBe(1);
  });

  it('is destroyed when its stack is deleted while it boots', async () => {
    let open = (): void => undefined;
    fleet.gate = () => new Promise((resolve) => (open = resolve));
    const template = server('delta');
    await client.heat('POST', '/stacks', { stack_name: 'early', template });
    await waitUntil(() => Promise.resolve(fleet.asked.length > 0 ? true : undefined), {
      for: 'the boot',
      within: seconds(20),
      every: millis(5),
    });
    const stack = (await client.stack('early'))!;
    const removal = client.remove(stack);
    open();
    await removal;
    expect(fleet.running.size).toBe(0);
    expect(emulator.inventory().find((one) => one.project === 'vnfm')).toMatchObject({ servers: [], ports: [] });
  });

  it('that boots still is waited for by an update that overtakes its creation', async () => {
    let open = (): void => undefined;
    fleet.gate = () => new Promise((resolve) => (open = resolve));
    const template = server('eta');
    await client.heat('POST', '/stacks', { stack_name: 'overtaken', template });
    await waitUntil(() => Promise.resolve(fleet.asked.length > 0 ? true : undefined), {
      for: 'the boot',
      within: seconds(20),
      every: millis(5),
    });
    const stack = (await client.stack('overtaken'))!;
    expect((await client.heat('PATCH', pathOf(stack), { existing: true })).status).toBe(202);
    // Anything that does not wait would be through with its work by the time that these are answered.
    for (let turn = 0; turn < 20; turn += 1) expect((await client.stack('overtaken'))?.stack_status).toBe('UPDATE_IN_PROGRESS');
    open();
    expect((await client.settled('overtaken')).stack_status).toBe('UPDATE_COMPLETE');
    expect(fleet.asked).toEqual(['boot eta']);
  });

  it('never has the same address twice at one time, and none again at once', async () => {
    const requested = groupStack({ desired: 4 });
    const stack = await client.create('addresses', requested.template, requested);
    const addresses = (): string[] => [...fleet.running.values()].map((one) => one.nics[0]!.address).sort();
    const first = addresses();
    expect(new Set(first).size).toBe(4);
    await client.remove(stack);
    await client.create('again', requested.template, requested);
    expect(addresses().some((address) => first.includes(address))).toBe(false);
  });

  it('is rebooted by the fleet, with its state seen on the way', async () => {
    const stack = await client.create('reboot', server('epsilon'));
    const id = text((await client.resources(stack)).find((one) => one.resource_name === 'epsilon')?.physical_resource_id);
    expect((await client.nova('POST', `/servers/${id}/action`, { reboot: { type: 'HARD' } })).status).toBe(202);
    expect(fleet.asked).toContain(`reboot ${id}`);
    const halt = await client.nova('POST', `/servers/${id}/action`, { 'os-stop': null });
    expect(halt.status).toBe(501);
  });

  it('refuses to attach a volume where the fleet cannot, and does it where it can', async () => {
    const stack = await client.create('no', attachmentStack);
    expect(stack.stack_status_reason).toContain('This machine park attaches volumes at boot only.');
    await emulator.stop();
    await begin(new ChangingFleet());
    const works = await client.create('yes', attachmentStack);
    expect(works.stack_status).toBe('CREATE_COMPLETE');
    const [machine] = [...fleet.running.values()];
    expect(machine?.volumes.map((one) => one.device)).toEqual(['/dev/vdb']);
    const moved = await client.update(works, { existing: true, parameters: { net: 'net1' } });
    expect(moved.stack_status).toBe('UPDATE_COMPLETE');
    expect(machine?.nics).toEqual([]);
  });

  it('is shut down and booted again by a fleet that can, with its own disk', async () => {
    await emulator.stop();
    await begin(new ChangingFleet());
    const stack = await client.create('power', server('eta'));
    const id = text((await client.resources(stack)).find((one) => one.resource_name === 'eta')?.physical_resource_id);
    for (const [action, status] of [
      ['os-stop', 'SHUTOFF'],
      ['os-start', 'ACTIVE'],
    ] as const) {
      expect((await client.nova('POST', `/servers/${id}/action`, { [action]: null })).status).toBe(202);
      await emulator.settled();
      expect(emulator.inventory().flatMap(({ servers }) => servers)).toMatchObject([{ id, status }]);
    }
    expect(fleet.asked).toEqual(['boot eta', `shut down ${id}`, 'boot eta']);
  });

  it('gives its cards to the machine that replaces it before that one boots', async () => {
    await emulator.stop();
    const changing = new ChangingFleet();
    await begin(changing);
    const stack = await client.create('heal', server('zeta'));
    const old = [...fleet.running.values()][0]!;
    const seen: JsonObject[] = [];
    fleet.gate = () => {
      seen.push({ old: old.nics.map((nic) => nic.address) });
      return Promise.resolve();
    };
    await client.mark((await client.resources(stack)).find((one) => one.resource_name === 'zeta')!);
    await client.update(stack, { existing: true });
    expect(seen).toEqual([{ old: [] }]);
    expect([...fleet.running.values()].map((one) => one.nics[0]?.address)).toEqual(['10.77.3.10']);
  });
});
