import { describe, expect, it } from 'vitest';
import type { HookContext } from '@windlass/mgmt-driver';
import { healed, scaled } from '../testing/requests.js';
import { bench } from './testing/bench.js';

const [FIRST, SECOND] = ['worker-10-10-0-31', 'worker-10-10-0-32'] as const;

/** Two workers of which the first is dead, under an ansible-core whose status for that is this. */
function standing(hook: Partial<HookContext>, unreachableStatus: number, listed: readonly string[] = [FIRST, SECOND]) {
  const made = bench({ hook });
  made.world.begin('server-master-1', 'master-10-10-0-24', '10.10.0.24');
  for (const name of listed) made.world.listed.set(name, { ready: name !== FIRST, address: `10.10.0.${name.slice(-2)}` });
  made.ansible.away.add(FIRST);
  made.ansible.unreachableStatus = unreachableStatus;
  return made;
}

describe.each([
  ['2.14', 2],
  ['2.17', 4],
])('while another node is dead, under ansible-core %s', (_release, status) => {
  it('a living worker is removed', async () => {
    const made = standing(scaled('scale_start'), status);
    await made.runner.run();
    expect([...made.world.listed.keys()]).toEqual(['master-10-10-0-24', FIRST]);
  });

  it('a worker joins, and the operation says who was no part of it', async () => {
    const made = standing(scaled('scale_end'), status, [FIRST]);
    for (const id of ['check-ansible', 'prepare-inventory', 'write-inventory', 'run-playbook:facts', 'run-playbook:scale'])
      await made.runner.performOnce(id);
    expect(made.world.listed.has(SECOND)).toBe(true);
    expect(made.runner.outputs.get('run-playbook:facts')).toEqual({ notes: [expect.stringContaining(FIRST)] });
  });

  it('both leave where both are healed', async () => {
    const made = standing(healed('heal_start', ['worker-1', 'worker-2']), status);
    await made.runner.run();
    expect([...made.world.listed.keys()]).toEqual(['master-10-10-0-24']);
  });

  it('one that is needed and is not reached is tried again, and is no task that failed', async () => {
    const made = standing(scaled('scale_end'), status, [FIRST]);
    made.ansible.away.add(SECOND);
    for (const id of ['check-ansible', 'prepare-inventory', 'write-inventory']) await made.runner.performOnce(id);
    for (const id of ['run-playbook:facts', 'run-playbook:scale'])
      await expect(made.runner.performOnce(id)).rejects.toMatchObject({ code: 'kubespray.unreachable' });
  });
});

it('a removal that a node ended for all, which died meanwhile, is no success: the cluster is asked', async () => {
  const made = standing(scaled('scale_start'), 4);
  made.ansible.away.clear();
  const failed = [{ host: FIRST, task: 'Gather facts', status: 'unreachable', message: 'no route to host' }];
  const stdout = `${JSON.stringify({ event: 'end', failed, more: 0 })}\n`;
  made.ansible.instead.set('remove-node.yml', { status: 4, stdout });
  for (const { id } of made.runner.steps) {
    if (id === 'remove-workers') break;
    await made.runner.performOnce(id);
  }
  await expect(made.runner.performOnce('remove-workers')).rejects.toMatchObject({
    code: 'kubespray.still-a-node',
    message: expect.stringMatching(new RegExp(`still lists ${SECOND}.*does not reach ${FIRST}`)) as string,
  });
});

it('facts of nodes do not grow too old while one is dead', async () => {
  const made = standing(scaled('scale_start'), 4);
  await made.runner.run();
  expect(made.ansible.runs.map(({ env }) => env.ANSIBLE_CACHE_PLUGIN_TIMEOUT)).toEqual(made.ansible.runs.map(() => '0'));
});
