import { hookContextOf } from '@windlass/driver-kit/testing';
import type { HookContext } from '@windlass/mgmt-driver';
import { compilePlan, sequence, type PlanNode } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { PARAM } from '../parameters/of-clusters.js';
import { defaultSettings } from '../settings/settings.js';
import { BALANCER, MASTER, ROUTES } from '../testing/external-lb.js';
import { externalLb } from './steps.js';

const PATH = 'Scripts/ExternalLB_installation.sh';
const lb = { ssh_cp_name: 'externalLB_CP1', ssh_username: 'ubuntu', ssh_password: '***', script_path: `./${PATH}` };

const hookOf = (more: Partial<HookContext> = {}, firstLine = '# windlass: builtin'): HookContext =>
  hookContextOf({
    instantiateParams: { [PARAM]: { external_lb_param: lb } },
    vnfcs: [MASTER.vnfc, BALANCER.vnfc],
    files: [{ path: PATH, size: 9, sha256: 'ab'.repeat(32), firstLine }],
    ...more,
  });
const stepsOf = (nodes: PlanNode[]) => compilePlan({ root: sequence(...nodes) }).steps;
const actions = (nodes: PlanNode[]) => stepsOf(nodes).map(({ action }) => action);
const healing = (vnfcIds: string[], whole = false): Partial<HookContext> => ({
  hook: 'heal_end',
  heal: { vnfcIds, whole } as NonNullable<HookContext['heal']>,
});
const OTHERS = { ...ROUTES, workers: ROUTES.workers.slice(0, 1) };

describe('the steps of an external load balancer', () => {
  it('are none where the parameters have none', () => {
    const steps = externalLb(hookContextOf({ instantiateParams: { [PARAM]: {} } }), defaultSettings);
    expect(steps.endpoint).toBeUndefined();
    expect([steps.installed(ROUTES), steps.routed(ROUTES), steps.restored([]), steps.verified([])]).toEqual([[], [], [], []]);
  });

  it('install it by us, or by the package’s script with its routes after that', () => {
    expect(actions(externalLb(hookOf(), defaultSettings).installed(ROUTES))).toEqual(['install-external-lb']);
    const [script, routes] = stepsOf(externalLb(hookOf({}, '# mine'), defaultSettings).installed(ROUTES));
    expect([script?.action, routes?.action]).toEqual(['run-external-lb-script', 'route-external-lb']);
    expect(script?.input.script).toMatchObject({ path: PATH, sha256: 'ab'.repeat(32) });
    expect(routes?.input.nodes).toEqual([...ROUTES.masters, ...ROUTES.workers]);
  });

  it('have the package’s own script told the nodes at each change of routes, as the document has it, and ours not', () => {
    const [script, routes, ...more] = stepsOf(
      externalLb(hookOf({ hook: 'scale_end' }, '# mine'), defaultSettings).routed(OTHERS, ROUTES),
    );
    expect([script?.action, routes?.action, more]).toEqual(['run-external-lb-script', 'route-external-lb', []]);
    expect(script?.input.routes).toEqual(OTHERS);
    expect(routes).toMatchObject({ traits: { undoable: true } });
    expect(actions(externalLb(hookOf({ hook: 'scale_end' }), defaultSettings).routed(OTHERS))).toEqual(['route-external-lb']);
  });

  it('know where the API is reached, and every name that its certificate needs', () => {
    expect(externalLb(hookOf(), defaultSettings).endpoint).toEqual({
      address: '203.0.113.9',
      port: 8383,
      names: ['203.0.113.9', '10.10.0.9'],
    });
    const cps = BALANCER.vnfc.cps.map((cp, n) => (n === 0 ? { ...cp, floatingIp: '198.51.100.1' } : cp));
    const { endpoint } = externalLb(hookOf({ vnfcs: [{ ...BALANCER.vnfc, cps }] }), defaultSettings);
    expect(endpoint).toMatchObject({ address: '198.51.100.1', names: ['198.51.100.1', '203.0.113.9', '10.10.0.9'] });
  });

  it('can be undone where the plan says what was before, and stand on the balancer’s own host', () => {
    const [there] = stepsOf(externalLb(hookOf(), defaultSettings).routed(OTHERS, ROUTES));
    expect(there).toMatchObject({ traits: { undoable: true }, limitKeys: ['host:server-externalLB-1'] });
    expect(there?.input.before).toEqual([...ROUTES.masters, ...ROUTES.workers]);
    expect(stepsOf(externalLb(hookOf(), defaultSettings).routed(OTHERS))[0]).toMatchObject({ traits: { undoable: false } });
  });

  it('change no routes on a machine that is made anew: it gets all of them when it is installed', () => {
    const steps = externalLb(hookOf(healing([BALANCER.vnfc.id])), defaultSettings);
    expect([steps.healed, steps.routed(ROUTES)]).toEqual([true, []]);
    const other = externalLb(hookOf(healing(['another'])), defaultSettings);
    expect([other.healed, actions(other.routed(ROUTES))]).toEqual([false, ['route-external-lb']]);
  });

  it('hold no secret, and point at the login that the request of an operation repeats', () => {
    const [plain] = stepsOf(externalLb(hookOf(), defaultSettings).verified([]));
    expect(JSON.stringify(plain?.input.machine)).toContain('instantiate-params');
    const requestParams = { [PARAM]: { external_lb_param: { ...lb, ssh_username: 'other' } } };
    const [again] = stepsOf(externalLb(hookOf({ ...healing(['another']), requestParams }), defaultSettings).verified([]));
    const machine = JSON.stringify(again?.input.machine);
    expect(machine).toContain('request-params');
    expect(machine).not.toContain('instantiate-params');
    expect(machine).not.toMatch(/\*\*\*|other/);
  });

  it.each([
    ['no VM has', [MASTER.vnfc]],
    ['several VMs have', [BALANCER.vnfc, { ...BALANCER.vnfc, id: 'two' }]],
  ])('stop the operation where %s the CP', (words, vnfcs) => {
    expect(() => externalLb(hookOf({ vnfcs }), defaultSettings)).toThrow(`${words} the CP externalLB_CP1`);
  });
});
