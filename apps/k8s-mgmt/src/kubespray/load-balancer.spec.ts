import type { JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { BALANCER } from '../testing/external-lb.js';
import { healed, scaled, vnfc } from '../testing/requests.js';
import { kubesprayDriver } from '../kubespray.driver.js';
import { documentParams, filledParams, hookContext, PARAMS, validateRequest } from './testing/requests.js';

const SCRIPT = 'Scripts/ExternalLB_installation.sh';
const FILES = [{ path: SCRIPT, size: 9, sha256: 'ab'.repeat(32), firstLine: '# windlass: builtin' }];
const driver = kubesprayDriver(defaultSettings);

function planAt(hook: Partial<HookContext>) {
  const context = hookContext(documentParams(), 2, hook);
  return driver.plan({ ...context, vnfcs: [...context.vnfcs, BALANCER.vnfc], files: FILES });
}
const stepsAt = (hook: Partial<HookContext>) => compilePlan(planAt(hook)).steps;
const actionsAt = (hook: Partial<HookContext>) => stepsAt(hook).map(({ action }) => action);
const at = (of: string[], ...names: string[]): number[] => names.map((name) => of.indexOf(name));
const ascending = (places: number[]): boolean => places.every((place, n) => place >= 0 && place > (places[n - 1] ?? -1));
const addresses = (steps: ReturnType<typeof stepsAt>, member: string): unknown =>
  (steps.find(({ action }) => action === 'route-external-lb')?.input[member] as { address: string }[] | undefined)?.map(
    ({ address }) => address,
  );

describe('a cluster of kubespray’s with an external load balancer', () => {
  it('is installed before the balancer, as the document has it, and registered by the balancer’s address', () => {
    const steps = stepsAt({ hook: 'instantiate_end' });
    const order = ['run-playbook', 'verify-cluster', 'install-external-lb', 'verify-external-lb', 'register-vim'];
    expect(
      ascending(
        at(
          steps.map(({ action }) => action),
          ...order,
        ),
      ),
    ).toBe(true);
    expect(steps.at(-1)?.input.authUrl).toBe('https://203.0.113.9:8383');
  });

  it('has the balancer’s addresses in the certificate of its API servers, whatever the operation', () => {
    for (const hook of [{ hook: 'instantiate_end' } as const, scaled('scale_end')]) {
      const step = stepsAt(hook).find(({ action }) => action === 'prepare-inventory');
      expect(step?.input.variables).toMatchObject({
        addresses: expect.arrayContaining(['203.0.113.9', '10.10.0.9']) as string[],
      });
    }
  });

  it('loses the routes of workers before their pods are moved, and brings them back when that is undone', () => {
    const steps = stepsAt(scaled('scale_start'));
    expect(
      ascending(
        at(
          steps.map(({ action }) => action),
          'route-external-lb',
          'cordon-node',
          'drain-node',
          'remove-workers',
        ),
      ),
    ).toBe(true);
    expect(addresses(steps, 'nodes')).toEqual(['10.10.0.24', '10.10.0.31']);
    expect(addresses(steps, 'before')).toEqual(['10.10.0.24', '10.10.0.31', '10.10.0.32']);
  });

  it('has routes to workers that come when they are nodes', () => {
    const steps = stepsAt(scaled('scale_end'));
    expect(
      ascending(
        at(
          steps.map(({ action }) => action),
          'run-playbook',
          'verify-cluster',
          'route-external-lb',
        ),
      ),
    ).toBe(true);
    expect(addresses(steps, 'nodes')).toEqual(['10.10.0.24', '10.10.0.31', '10.10.0.32']);
    expect(addresses(steps, 'before')).toEqual(['10.10.0.24', '10.10.0.31']);
  });

  it('has the routes of a worker that is healed taken out and added again', () => {
    expect(addresses(stepsAt(healed('heal_start', ['worker-1'])), 'nodes')).toEqual(['10.10.0.24', '10.10.0.32']);
    expect(addresses(stepsAt(healed('heal_end', ['worker-1'])), 'nodes')).toEqual(['10.10.0.24', '10.10.0.31', '10.10.0.32']);
  });

  it('gives a balancer that is healed all its routes and the ports that were open on it, and touches no node', () => {
    const [look, ...more] = stepsAt(healed('heal_start', [BALANCER.vnfc.id]));
    expect(look).toMatchObject({ action: 'note-exposed-ports', input: { leaving: true } });
    expect(more).toEqual([]);
    const steps = stepsAt(healed('heal_end', [BALANCER.vnfc.id]));
    const wanted = ['install-external-lb', 'restore-node-ports', 'note-exposed-ports', 'verify-external-lb'];
    expect(steps.map(({ action }) => action)).toEqual(wanted);
    expect(steps[2]?.input).toMatchObject({ takesOver: true });
    expect(steps[0]?.input.routes).toMatchObject({ masters: [{}], workers: [{}, {}] });
  });

  it('has its open ports noted by each operation that is at it, and once by each hook', () => {
    const all: Partial<HookContext>[] = [
      { hook: 'instantiate_end' },
      scaled('scale_start'),
      scaled('scale_end'),
      healed('heal_start', ['worker-1']),
      healed('heal_end', ['worker-1']),
      healed('heal_start', ['worker-1', BALANCER.vnfc.id]),
      healed('heal_end', ['worker-1', BALANCER.vnfc.id]),
      healed('heal_end', [], { whole: true, recreates: true }),
    ];
    for (const hook of all) {
      const noted = stepsAt(hook).filter(({ action }) => action === 'note-exposed-ports');
      expect(noted, JSON.stringify(hook)).toHaveLength(1);
      expect(noted[0]).toMatchObject({ traits: { undoable: false, contributes: true } });
    }
  });

  it('heals a worker and the balancer in one operation: the routes come with the installation', () => {
    const both = ['worker-1', BALANCER.vnfc.id];
    expect(actionsAt(healed('heal_start', both))).not.toContain('route-external-lb');
    const found = actionsAt(healed('heal_end', both));
    expect(found).not.toContain('route-external-lb');
    expect(ascending(at(found, 'run-playbook', 'install-external-lb', 'restore-node-ports'))).toBe(true);
  });
});

describe('a request for one', () => {
  const flavour = {
    id: 'simple',
    vdus: ['masterNode', 'workerNode', 'externalLB'],
    cps: [
      { id: 'masterNode_CP1', vdu: 'masterNode' },
      { id: 'workerNode_CP2', vdu: 'workerNode' },
      { id: 'externalLB_CP1', vdu: 'externalLB' },
    ],
    aspects: ['master_instance', 'worker_instance'],
    mostVnfcs: { masterNode: 3, workerNode: 4, externalLB: 1 },
  };
  const said = (of: JsonObject) => driver.validate(validateRequest(of, { flavour, files: FILES }));

  it('is the document’s own, its placeholders filled in', () => {
    expect(said(documentParams()).invalidParams).toEqual([]);
  });

  it('is told which CP was meant by the name that the document has', () => {
    const made = documentParams();
    ((made[PARAMS] as JsonObject).external_lb_param as JsonObject).ssh_cp_name = 'externalLB_instance';
    expect(said(made).invalidParams).toEqual([
      {
        path: `/additionalParams/${PARAMS}/external_lb_param/ssh_cp_name`,
        reason: expect.stringContaining('did you mean externalLB_CP1?') as string,
      },
    ]);
  });
});

it('a cluster without one is registered by its master', () => {
  const context = hookContext(filledParams(), 1, { hook: 'instantiate_end' });
  const { steps } = compilePlan(driver.plan({ ...context, vnfcs: [vnfc('master', 1, '10.10.0.24')] }));
  expect(steps.at(-1)?.input.authUrl).toBe('https://10.10.0.24:6443');
});
