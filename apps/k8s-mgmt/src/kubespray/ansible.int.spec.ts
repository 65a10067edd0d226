import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { driverBench } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubesprayParts } from '../service.js';
import { defaultSettings } from '../settings/settings.js';
import { scaled } from '../testing/requests.js';
import { RealServer } from './testing/real-server.js';
import { hookContext, INSTANCE } from './testing/requests.js';

let server: RealServer;
beforeAll(async () => {
  server = await RealServer.start();
});
afterAll(() => server.stop());

let operation = 0;
beforeEach(() => (operation += 1));

/** A plan for a hook, its steps run one by one by hand: the cluster itself is not there. */
function plan(hook: Partial<HookContext> = {}, params: JsonObject = server.params(), dead: readonly string[] = []) {
  const operationId = `00000000-0000-4000-8000-${String(operation).padStart(12, '0')}`;
  const { vnfcs, affectedVnfcs = [], ...more } = hook;
  const context = hookContext(params, 2, { operationId, ...more });
  context.vnfcs = (vnfcs ?? context.vnfcs).map((vnfc) => onLoopback(vnfc, dead.includes(vnfc.id) ? NOBODY : HERE));
  context.affectedVnfcs = affectedVnfcs.map((affected) => ({ ...affected, vnfc: onLoopback(affected.vnfc, HERE) }));
  return driverBench({ parts: kubesprayParts(defaultSettings), hook: context, params, hosts: server.hosts });
}

const HERE = '127.0.0.1';
/** Nothing listens there. */
const NOBODY = '127.9.9.9';

/** Each VM is this machine, by a floating IP. */
const onLoopback = (vnfc: Vnfc, floatingIp: string): Vnfc => ({ ...vnfc, cps: vnfc.cps.map((cp) => ({ ...cp, floatingIp })) });

const steps = async ({ runner }: ReturnType<typeof plan>, ...ids: string[]): Promise<void> => {
  for (const id of ids) await runner.performOnce(id);
};

const folder = () => join(server.inventories, `windlass-${INSTANCE}`);

/** Folders of connections that Ansible keeps open, of this file's user: other files run playbooks at the same time. */
function sockets(): string[] {
  const looked = ['/tmp', '-maxdepth', '1', '-ignore_readdir_race', '-user', server.user.name, '-name', 'windlass-ssh-*-*'];
  return execFileSync('find', looked, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('a real ansible-playbook', () => {
  it('makes every node what the inventory says, as root, by a password that is a template to Ansible', async () => {
    const left = join('/tmp', `windlass-ssh-${spawnSync('true').pid}-killed`);
    execFileSync('install', ['-d', '-o', server.user.name, left]);
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:cluster');
    expect(server.marked()).toEqual(['master-10-10-0-24', 'worker-10-10-0-31', 'worker-10-10-0-32']);
    expect(server.mark('master-10-10-0-24')).toBe('master 10.10.0.24 etcd1 192.168.3.0/16 -\n');
    expect(server.mark('worker-10-10-0-32')).toBe('worker 10.10.0.32 - 192.168.3.0/16 -\n');
    expect(statSync(join(server.marks, 'master-10-10-0-24')).uid).toBe(0);
    expect(made.lines).toContain('run-playbook:cluster: cluster.yml: Mark the node');
    // Nothing is left of the passwords once the job has ended.
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder(), 'hosts.yaml')).mode & 0o777).toBe(0o600);
    const text = allText(server.user.home) + allText(folder());
    for (const password of [server.nodeUser.password, server.user.password])
      expect(text).not.toContain(password.reveal().slice(0, 15));
    expect(text).toContain('etcd_member_name');
    expect(sockets()).toEqual([]);
  });

  it('brings workers by scale.yml with the facts of all, and takes them out by remove-node.yml without a terminal, before the inventory forgets them', async () => {
    const first = plan({}, server.params({ inventory_format: 'ini' }));
    await steps(first, 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:cluster');
    operation += 1;
    const came = plan(scaled('scale_end'), server.params({ inventory_format: 'ini' }));
    await steps(came, 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:facts', 'run-playbook:scale');
    expect(server.mark('worker-10-10-0-32')).toBe('worker 10.10.0.32 scaled\n');
    expect(server.mark('worker-10-10-0-31')).not.toContain('scaled');
    operation += 1;
    const left = plan(scaled('scale_start'), server.params({ inventory_format: 'ini' }));
    await steps(left, 'check-ansible', 'prepare-inventory', 'write-inventory', 'remove-workers', 'write-inventory:after');
    expect(server.marked()).toEqual(['master-10-10-0-24', 'worker-10-10-0-31']);
    expect(readFileSync(join(folder(), 'hosts.ini'), 'utf8')).not.toContain('10.10.0.32');
  }, 180_000);

  it('removes a living worker, and brings one, while another node is dead', async () => {
    await steps(plan(), 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:cluster');
    operation += 1;
    const left = plan(scaled('scale_start'), server.params(), ['worker-1']);
    await steps(left, 'check-ansible', 'prepare-inventory', 'write-inventory', 'remove-workers', 'write-inventory:after');
    expect(server.marked()).toEqual(['master-10-10-0-24', 'worker-10-10-0-31']);
    operation += 1;
    const came = plan(scaled('scale_end'), server.params(), ['worker-1']);
    await steps(came, 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:facts', 'run-playbook:scale');
    expect(server.mark('worker-10-10-0-32')).toBe('worker 10.10.0.32 scaled\n');
    expect(came.runner.outputs.get('run-playbook:facts')).toMatchObject({ notes: [expect.stringContaining('10-10-0-31')] });
  }, 240_000);

  it('is not begun where the server lacks something, which is named with what to do', async () => {
    const made = plan({}, server.params({ kubespray_root_path: join(server.folder, 'inventories') }));
    await expect(made.runner.performOnce('check-ansible')).rejects.toThrow(
      /cluster\.yml is not in .*inventories: correct kubespray_root_path, or unpack kubespray there/,
    );
  });
});

describe('the folder of a VNF instance', () => {
  it('goes when it is terminated, and one that another has made stays', async () => {
    await steps(plan(), 'check-ansible', 'prepare-inventory');
    operation += 1;
    await steps(plan({ hook: 'terminate_end', vnfcs: [] }), 'remove-inventory');
    expect(existsSync(folder())).toBe(false);
    server.foreign(folder());
    operation += 1;
    const made = plan();
    await steps(made, 'check-ansible');
    await expect(made.runner.performOnce('prepare-inventory')).rejects.toThrow(/this VNF instance has not made it/);
    expect(existsSync(join(folder(), 'precious'))).toBe(true);
  });
});

/** Every file below a folder, whole. */
function allText(path: string): string {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}
