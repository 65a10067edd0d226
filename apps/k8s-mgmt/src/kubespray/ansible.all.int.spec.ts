import { readdirSync, readFileSync, statSync } from 'node:fs';
import { driverBench } from '@windlass/driver-kit/testing';
import type { Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubesprayParts } from '../service.js';
import { defaultSettings } from '../settings.js';
import { RealServer } from './testing/real-server.js';
import { hookContext } from './testing/requests.js';

let server: RealServer;
beforeAll(async () => {
  server = await RealServer.start();
});
afterAll(() => server.stop());

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
  });

  it('whose worker died is attached to, and marks each node once', async () => {
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory');
    server.set('takes', '3');
    const lost = new AbortController();
    const claim = made.runner.runOf('run-playbook:cluster', { signal: lost.signal });
    const first = Promise.resolve(made.runner.action('run-playbook:cluster').apply(claim)).catch((error: unknown) => error);
    await expect.poll(() => made.lines, { timeout: 30_000 }).toContain('run-playbook:cluster: cluster.yml: Take its time');
    lost.abort(new Error('the worker died'));
    expect(String(await first)).toContain('the worker died');
    const before = made.lines.length;
    await made.runner.performOnce('run-playbook:cluster', { epoch: 2, resumed: true });
    server.set('takes', '0');
    expect(made.lines.slice(before).filter((line) => line.includes('Mark the node'))).toEqual([]);
  });

  it('ends with its whole group on a forceful cancel', async () => {
    const made = plan();
    await steps(made, 'check-ansible', 'prepare-inventory', 'write-inventory');
    server.set('takes', '600');
    const detached = new AbortController();
    const claim = made.runner.runOf('run-playbook:cluster', { signal: detached.signal });
    const work = Promise.resolve(made.runner.action('run-playbook:cluster').apply(claim)).catch((error: unknown) => error);
    await expect.poll(() => made.lines, { timeout: 30_000 }).toContain('run-playbook:cluster: cluster.yml: Take its time');
    detached.abort(new Error('cancelled'));
    expect(String(await work)).toContain('cancelled');
    expect(await made.runner.action('run-playbook:cluster').stop?.(made.runner.runOf('run-playbook:cluster'))).toBe(true);
    expect(commandsOf(server.user.name).filter((line) => line.includes('ansible-playbook'))).toEqual([]);
    server.set('takes', '0');
  });
});

/** Command lines of the processes of a user. */
function commandsOf(user: string): string[] {
  const uid = Number(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`${user}:`))
      ?.split(':')[2],
  );
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return statSync(`/proc/${pid}`).uid === uid ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
      } catch {
        // Gone meanwhile.
        return [];
      }
    });
}
