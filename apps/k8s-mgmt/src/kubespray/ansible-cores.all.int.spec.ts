import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driverBench } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { kubesprayParts } from '../service.js';
import { defaultSettings } from '../settings/settings.js';
import { scaled } from '../testing/requests.js';
import { ANSIBLE_CORES, ansibleCore } from './testing/ansible-core.js';
import { RealServer } from './testing/real-server.js';
import { hookContext, PARAMS } from './testing/requests.js';

/** Of a playbook or two, on a machine that does much else. */
const WITHIN = 400_000;

const [MASTER, FIRST, SECOND] = ['master-10-10-0-24', 'worker-10-10-0-31', 'worker-10-10-0-32'] as const;
const BEGUN = ['check-ansible', 'prepare-inventory', 'write-inventory'] as const;

let operation = 0;
beforeEach(() => (operation += 1));

describe.each(ANSIBLE_CORES)('under ansible-core %s, of a virtual environment beside kubespray’s folder', (core) => {
  let server: RealServer;
  beforeAll(async () => {
    server = await RealServer.start(core);
  }, WITHIN);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- where it did not start
  afterAll(() => server?.stop());

  /** A plan for a hook, its steps run one by one by hand: the cluster itself is not there. */
  function plan(hook: Partial<HookContext> = {}, { dead = '', params = server.params() }: Standing = {}) {
    const operationId = `00000000-0000-4000-8000-${String(operation).padStart(12, '0')}`;
    const { affectedVnfcs = [], ...more } = hook;
    const context = hookContext(params, 2, { operationId, ...more });
    const placed = (vnfc: Vnfc): Vnfc => ({
      ...vnfc,
      cps: vnfc.cps.map((cp) => ({ ...cp, floatingIp: vnfc.id === dead ? '127.9.9.9' : '127.0.0.1' })),
    });
    context.vnfcs = context.vnfcs.map(placed);
    context.affectedVnfcs = affectedVnfcs.map((affected) => ({ ...affected, vnfc: placed(affected.vnfc) }));
    const made = driverBench({ parts: kubesprayParts(defaultSettings), hook: context, params, hosts: server.hosts });
    const steps = async (...ids: string[]): Promise<void> => {
      for (const id of [...BEGUN, ...ids]) await made.runner.performOnce(id);
    };
    return { ...made, steps };
  }

  /** Its claim on cluster.yml, which runs once this has come back. */
  async function midway(made: ReturnType<typeof plan>) {
    await made.steps();
    server.set('takes', '600');
    const detached = new AbortController();
    const claim = made.runner.runOf('run-playbook:cluster', { signal: detached.signal });
    const work = Promise.resolve(made.runner.action('run-playbook:cluster').apply(claim)).catch((error: unknown) => error);
    await expect.poll(() => made.lines, { timeout: 200_000 }).toContain('run-playbook:cluster: cluster.yml: Take its time');
    server.set('takes', '0');
    return { detached, work };
  }

  it(
    'a playbook that is killed in the middle is a failure that says so, and makes the nodes when it is run again',
    async () => {
      const made = plan();
      const { work } = await midway(made);
      for (const pid of server.playing()) process.kill(pid, 'SIGKILL');
      expect(await work).toMatchObject({
        code: 'kubespray.playbook-failed',
        message: expect.stringMatching(/exit status 137/) as string,
      });
      await made.runner.performOnce('run-playbook:cluster', { epoch: 2, attempt: 2, attemptEpoch: 2 });
      expect(server.marked()).toEqual([MASTER, FIRST, SECOND]);
      expect(server.mark(MASTER)).toBe('master 10.10.0.24 etcd1 192.168.3.0/16 -\n');
      expect(made.lines.filter((line) => line.includes('on localhost: failed'))).toEqual([]);
    },
    WITHIN,
  );

  it(
    'a forceful cancel leaves nothing that runs',
    async () => {
      const made = plan();
      const { detached, work } = await midway(made);
      detached.abort(new Error('cancelled'));
      expect(String(await work)).toContain('cancelled');
      expect(await made.runner.action('run-playbook:cluster').stop?.(made.runner.runOf('run-playbook:cluster'))).toBe(true);
      // What was killed ends when it next gets a processor.
      await expect.poll(() => server.playing(), { timeout: 10_000 }).toEqual([]);
    },
    WITHIN,
  );

  it(
    'a task that fails is told with host, task and message, and without the password in it',
    async () => {
      const made = plan();
      await made.steps();
      server.set('fails', FIRST);
      const failed: unknown = await made.runner.performOnce('run-playbook:cluster').catch((error: unknown) => error);
      server.set('fails', '');
      expect(failed).toMatchObject({ code: 'kubespray.task-failed' });
      expect(String(failed)).toMatch(
        /worker-10-10-0-31 failed at "Fail where it is told to": told to fail, and the password is \*\*\*/,
      );
    },
    WITHIN,
  );

  it(
    'a wrong password is no task that failed: it is told with the nodes that refuse it',
    async () => {
      const params = server.params();
      (params[PARAMS] as Record<string, JsonObject>).worker_node!.password = 'not-the-password';
      await plan(scaled('scale_end')).steps();
      const made = plan(scaled('scale_end'), { params });
      await made.runner.performOnce('check-ansible');
      const failed: unknown = await made.runner.performOnce('run-playbook:facts').catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'kubespray.unreachable' });
      expect(String(failed)).toMatch(
        /does not reach (worker-10-10-0-32|.*, worker-10-10-0-32) \(.*([Pp]assword|Permission denied)/,
      );
      expect(String(failed)).not.toContain('not-the-password');
    },
    WITHIN,
  );

  it(
    'a living worker is removed, and one is brought, while another is dead',
    async () => {
      await plan(scaled('scale_start'), { dead: 'worker-1' }).steps('remove-workers', 'write-inventory:after');
      expect(server.marked()).toEqual([MASTER, FIRST]);
      operation += 1;
      const came = plan(scaled('scale_end'), { dead: 'worker-1' });
      await came.steps('run-playbook:facts', 'run-playbook:scale');
      expect(server.mark(SECOND)).toBe('worker 10.10.0.32 scaled\n');
      expect(server.mark(FIRST)).not.toContain('scaled');
      expect(came.runner.outputs.get('run-playbook:facts')).toMatchObject({ notes: [expect.stringContaining(FIRST)] });
    },
    WITHIN,
  );

  it(
    'a dead worker is removed, and the operation says that nothing was done on it',
    async () => {
      const left = plan(scaled('scale_start'), { dead: 'worker-2' });
      await left.steps('remove-workers', 'write-inventory:after');
      expect(server.marked()).toEqual([MASTER, FIRST]);
      expect(left.lines.filter((line) => line.includes('Reset the node on') && !line.includes('skipped'))).toEqual([]);
      expect(left.runner.outputs.get('remove-workers')).toMatchObject({ notes: [expect.stringContaining(SECOND)] });
    },
    WITHIN,
  );
});

interface Standing {
  /** Id of a VM that nobody reaches. */
  dead?: string;
  params?: JsonObject;
}

it('where PyPI can’t be reached, that is said with what to do, and no environment is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-no-pypi-'));
  try {
    const asked = ansibleCore('2.18', join(folder, 'venv'), {
      cache: join(folder, 'cache'),
      env: {
        PIP_CONFIG_FILE: '/dev/null',
        PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
        PIP_EXTRA_INDEX_URL: '',
        PIP_RETRIES: '0',
      },
    });
    await expect(asked).rejects.toThrow(/ansible-core 2\.18 could not be had from PyPI.*This test needs PyPI once/);
    expect(readdirSync(folder)).toEqual(['cache']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
