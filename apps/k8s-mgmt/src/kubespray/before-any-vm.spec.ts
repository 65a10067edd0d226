import type { HookContext } from '@windlass/mgmt-driver';
import { sequence } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { healed, scaled } from '../testing/requests.js';
import { kubesprayDriver } from '../kubespray.driver.js';
import { bench } from './testing/bench.js';
import { hookContext, plainParams } from './testing/requests.js';

const STARTS: readonly (readonly [what: string, hook: Partial<HookContext>])[] = [
  ['an instantiation', { hook: 'instantiate_start', vnfcs: [] }],
  ['workers that come', { ...scaled('scale_start', 'ADDED'), affectedVnfcs: [] }],
  ['another level', { hook: 'scale_start', request: { instantiationLevelId: 'larger' }, affectedVnfcs: [] }],
  ['workers that go', scaled('scale_start')],
  ['the healing of a worker', healed('heal_start', ['worker-1'])],
  ['the healing of the whole', healed('heal_start', [], { whole: true })],
];

describe('the Ansible server', () => {
  it.each(STARTS)('is looked at before VMs are made or go: %s', async (_what, hook) => {
    const made = bench({ hook });
    made.ansible.programs = [];
    expect(made.runner.steps[0]).toMatchObject({ action: 'check-ansible' });
    await expect(made.runner.performOnce('check-ansible')).rejects.toMatchObject({ code: 'kubespray.not-ready' });
  });

  it('is asked for what the operation will need of it', () => {
    const needed = STARTS.map(([, hook]) => bench({ hook }).runner.step('check-ansible').input.playbooks);
    expect(needed).toEqual([
      ['cluster'],
      ['facts', 'scale'],
      ['facts', 'scale'],
      ['remove', 'facts', 'scale'],
      ['remove', 'facts', 'scale'],
      ['cluster'],
    ]);
  });

  it('is left alone where VMs of another aspect come', () => {
    const { hook, request } = scaled('scale_start', 'ADDED');
    const other = { hook, request: { ...request, aspectId: 'another' }, affectedVnfcs: [] } as Partial<HookContext>;
    const plan = kubesprayDriver(defaultSettings).plan(hookContext(plainParams(), 2, other));
    expect(plan.root).toEqual(sequence());
  });
});
