import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverBench } from '@windlass/driver-kit/testing';
import { masked } from '@windlass/foundation';
import type { Hosts, Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubesprayParts } from '../service.js';
import { defaultSettings } from '../settings/settings.js';
import { healed } from '../testing/requests.js';
import { RealServer } from './testing/real-server.js';
import { hookContext, INSTANCE, SERVER } from './testing/requests.js';

let server: RealServer;
/** A second server, which only a request to heal names. */
let other: RealServer;
beforeAll(async () => {
  server = await RealServer.start();
  other = await RealServer.start();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
});

let operation = 0;
beforeEach(() => (operation += 1));

/** The plan of an instantiation, its steps run one by one by hand: the cluster itself is not there. */
function plan() {
  const operationId = `00000000-0000-4000-8000-${String(operation).padStart(12, '0')}`;
  const params = server.params();
  const context = hookContext(params, 2, { operationId });
  context.vnfcs = context.vnfcs.map(onLoopback);
  return driverBench({ parts: kubesprayParts(defaultSettings), hook: context, params, hosts: server.hosts });
}

/** Each VM is this machine, by a floating IP. */
const onLoopback = (vnfc: Vnfc): Vnfc => ({ ...vnfc, cps: vnfc.cps.map((cp) => ({ ...cp, floatingIp: '127.0.0.1' })) });

const steps = async ({ runner }: ReturnType<typeof plan>, ...ids: string[]): Promise<void> => {
  for (const id of ids) await runner.performOnce(id);
};

describe('a real ansible-playbook', () => {
  it('that fails says host, task and message, and no password that stands in it', async () => {
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory');
    server.set('fails', 'worker-10-10-0-31');
    const failed: unknown = await made.runner.performOnce('run-playbook:cluster').catch((error: unknown) => error);
    server.set('fails', '');
    expect(failed).toMatchObject({ code: 'kubespray.task-failed' });
    expect(String(failed)).toMatch(
      /worker-10-10-0-31 failed at "Fail where it is told to": told to fail, and the password is \*\*\*/,
    );
  }, 240_000);

  it('whose worker died is attached to, and marks each node once', async () => {
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory');
    server.set('takes', '3');
    const lost = new AbortController();
    const claim = made.runner.runOf('run-playbook:cluster', { signal: lost.signal });
    const first = Promise.resolve(made.runner.action('run-playbook:cluster').apply(claim)).catch((error: unknown) => error);
    await expect.poll(() => made.lines, { timeout: 120_000 }).toContain('run-playbook:cluster: cluster.yml: Take its time');
    lost.abort(new Error('the worker died'));
    expect(String(await first)).toContain('the worker died');
    const before = made.lines.length;
    await made.runner.performOnce('run-playbook:cluster', { epoch: 2, resumed: true });
    server.set('takes', '0');
    expect(made.lines.slice(before).filter((line) => line.includes('Mark the node'))).toEqual([]);
  }, 240_000);

  it('ends with its whole group on a forceful cancel', async () => {
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory');
    server.set('takes', '600');
    const detached = new AbortController();
    const claim = made.runner.runOf('run-playbook:cluster', { signal: detached.signal });
    const work = Promise.resolve(made.runner.action('run-playbook:cluster').apply(claim)).catch((error: unknown) => error);
    await expect.poll(() => made.lines, { timeout: 120_000 }).toContain('run-playbook:cluster: cluster.yml: Take its time');
    detached.abort(new Error('cancelled'));
    expect(String(await work)).toContain('cancelled');
    expect(await made.runner.action('run-playbook:cluster').stop?.(made.runner.runOf('run-playbook:cluster'))).toBe(true);
    // What was killed ends when it next gets a processor.
    await expect.poll(() => server.playing(), { timeout: 10_000 }).toEqual([]);
    server.set('takes', '0');
  }, 240_000);
});

describe('a worker that is healed by another Ansible server than that of the instantiation', () => {
  const ELSEWHERE = '192.0.2.11';
  const WORKER = 'worker-10-10-0-32';

  /** A plan whose request names that server, and the logins of the nodes. The first one is not there any more. */
  function elsewhere(hook: 'heal_start' | 'heal_end') {
    operation += 1;
    const operationId = `00000000-0000-4000-8000-${String(operation).padStart(12, '0')}`;
    const params = server.params();
    const requestParams = other.params({ ip_address: ELSEWHERE });
    const context = hookContext(params, 2, { ...healed(hook, ['worker-2']), operationId, requestParams: masked(requestParams) });
    context.vnfcs = context.vnfcs.map(onLoopback);
    const hosts: Hosts = {
      ...other.hosts,
      host: (target, run) => {
        expect(target.address).not.toBe(SERVER);
        return other.hosts.host(target, run);
      },
    };
    return driverBench({ parts: kubesprayParts(defaultSettings), hook: context, params, requestParams, hosts });
  }

  it('leaves and comes back through that one alone, which has nothing of the cluster yet', async () => {
    await steps(plan(), 'check-ansible', 'prepare-inventory', 'write-inventory');
    for (const name of ['master-10-10-0-24', 'worker-10-10-0-31', WORKER]) writeFileSync(join(other.marks, name), '');
    await steps(
      elsewhere('heal_start'),
      'check-ansible',
      'prepare-inventory',
      'write-inventory',
      'remove-workers',
      'write-inventory:after',
    );
    expect(other.marked()).not.toContain(WORKER);
    const back = elsewhere('heal_end');
    await steps(back, 'check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:facts', 'run-playbook:scale');
    expect(other.mark(WORKER)).toBe('worker 10.10.0.32 scaled\n');
    expect(readdirSync(other.inventories)).toEqual([`windlass-${INSTANCE}`]);
    expect(existsSync(join(server.inventories, `windlass-${INSTANCE}`, 'facts', WORKER))).toBe(false);
  }, 400_000);
});
