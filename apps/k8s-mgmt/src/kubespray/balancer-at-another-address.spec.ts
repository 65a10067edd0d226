import { toJsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/settings.js';
import { BALANCER } from '../testing/external-lb.js';
import { healed, scaled } from '../testing/requests.js';
import { kubesprayDriver } from '../kubespray.driver.js';
import { documentParams, hookContext, validateRequest } from './testing/requests.js';

const SCRIPT = 'Scripts/ExternalLB_installation.sh';
const FILES = [{ path: SCRIPT, size: 9, sha256: 'ab'.repeat(32), firstLine: '# windlass: builtin' }];
const REGISTERED = 'https://203.0.113.9:8383';
const driver = kubesprayDriver(defaultSettings);

/** The balancer with another address at the CP that it is reached by, or with a floating IP there. */
const at = (address: string, floatingIp: string | null = null): Vnfc => ({
  ...BALANCER.vnfc,
  cps: BALANCER.vnfc.cps.map((cp, n) => (n === 0 ? { ...cp, addresses: [address], floatingIp } : cp)),
});

function stepsAt(hook: Partial<HookContext>, balancer: Vnfc, clusterUrl: string | null = REGISTERED) {
  const context = hookContext(documentParams(), 2, { ...hook, ...(clusterUrl === null ? {} : { clusterUrl }) });
  return compilePlan(driver.plan({ ...context, vnfcs: [...context.vnfcs, balancer], files: FILES })).steps;
}

function refusalOf(balancer: Vnfc, vnfcIds: string[], clusterUrl: string | null = REGISTERED, whole = false) {
  const { vnfcs } = hookContext(documentParams(), 2, {});
  const heal = { vnfcIds, whole, recreates: whole, cause: null, earlierResourceIds: {} };
  const known = {
    vnfcs: [...vnfcs, balancer],
    sharedCps: [],
    affectedVnfcs: [],
    heal,
    ...(clusterUrl === null ? {} : { clusterUrl }),
  };
  const request = validateRequest({}, { operation: 'HEAL', instantiateParams: toJsonObject(documentParams()), instance: known });
  return driver.validate(request).refusal;
}

const ID = BALANCER.vnfc.id;

describe('a heal of a load balancer that has lost the address at which its cluster is registered', () => {
  it('is refused at the request where the record knows it, with what to do', () => {
    expect(refusalOf(at('203.0.113.77'), [ID])).toEqual({
      code: 'external-lb.moved',
      detail: expect.stringMatching(
        /registered at 203\.0\.113\.9, and externalLB has 203\.0\.113\.77, 10\.10\.0\.9 now.*openstack port set --fixed-ip.*or heal the whole/,
      ) as string,
    });
  });

  it('stops before anything is touched where the stack shows it first', () => {
    const all = () => stepsAt(healed('heal_start', [ID]), at('203.0.113.77'));
    expect(all).toThrow(/registered at 203\.0\.113\.9.*Nothing was begun: roll this operation back, then heal again/);
    const both = () => stepsAt(healed('heal_start', ['worker-1', ID]), at('203.0.113.77'));
    expect(both).toThrow(/Nothing was begun/);
  });

  it.each<[string, Vnfc, string | null]>([
    ['has it still', at('203.0.113.9'), REGISTERED],
    ['has got a floating IP besides', at('203.0.113.9', '198.51.100.7'), REGISTERED],
    ['was never registered, by an older core’s word', at('203.0.113.77'), null],
    ['is registered by a master', at('203.0.113.77'), 'https://10.10.0.24:6443'],
    ['has a record that is no URL', at('203.0.113.77'), 'elsewhere'],
  ])('is not refused to one that %s', (_how, balancer, url) => {
    expect(refusalOf(balancer, [ID], url)).toBeUndefined();
    expect(stepsAt(healed('heal_start', [ID]), balancer, url)).toHaveLength(1);
  });

  it('is another one’s than a worker’s, and than the whole’s, which registers the new address', () => {
    const moved = at('203.0.113.77');
    expect(refusalOf(moved, ['worker-1'])).toBeUndefined();
    expect(refusalOf(moved, [], REGISTERED, true)).toBeUndefined();
    const whole = stepsAt(healed('heal_end', [], { whole: true, recreates: true }), moved);
    expect(whole.at(-1)?.input.authUrl).toBe('https://203.0.113.77:8383');
    expect(whole.find(({ action }) => action === 'verify-external-lb')?.input.address).toBeUndefined();
  });
});

it('a balancer that got a floating IP is asked at the address that the certificate has', () => {
  const steps = stepsAt(healed('heal_end', [ID]), at('203.0.113.9', '198.51.100.7'));
  expect(steps.at(-1)).toMatchObject({ action: 'verify-external-lb', input: { address: '203.0.113.9' } });
});

it('nothing of it keeps workers from coming', () => {
  expect(stepsAt(scaled('scale_end'), at('203.0.113.77')).length).toBeGreaterThan(3);
});
