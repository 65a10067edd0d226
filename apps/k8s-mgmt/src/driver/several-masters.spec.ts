import type { HookContext, ValidateRequest } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { healed, PARAMS, plainParams, scaled, validateRequest, vnfc } from '../testing/requests.js';

/** The sample's: the masters' address is that of a port of the VNF's own. */
function complexParams(more: JsonObject = {}): JsonObject {
  const params = plainParams();
  Object.assign((params[PARAMS] as Record<string, JsonObject>).master_node!, { cluster_cp_name: 'vip_CP', ...more });
  return params;
}

const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.9'], floatingIp: null };
const vnfcs = [
  ...[24, 25, 26].map((n) => vnfc('master', n, `10.10.0.${n}`)),
  ...[31, 32].map((n) => vnfc('worker', n, `10.10.0.${n}`)),
];

const made = (hook: Partial<HookContext> = {}) =>
  bench({ params: complexParams(), requestParams: {}, hook: { vnfcs, sharedCps: [VIP], ...hook } }).plan;

/** Without the steps of single nodes before they join, which plan.spec.ts has. */
const graph = (hook: Partial<HookContext>): string[] =>
  compilePlan(made(hook))
    .steps.filter(({ action }) => !/^(prepare|install-runtime|install-kubernetes|inspect)/.test(action))
    .map(({ id, deps }) => `${id} after [${deps.join(' ')}]`);

describe('the plan of a cluster of three masters', () => {
  it('has a load balancer that answers before the control plane is made, and masters that join one at a time beside the workers', () => {
    expect(graph({})).toMatchInlineSnapshot(`
      [
        "configure-load-balancer:master24 after [install-kubernetes:master24]",
        "configure-load-balancer:master25 after [install-kubernetes:master25]",
        "configure-load-balancer:master26 after [install-kubernetes:master26]",
        "verify-load-balancer:master24 after [configure-load-balancer:master24 configure-load-balancer:master25 configure-load-balancer:master26]",
        "init-control-plane:master24 after [verify-load-balancer:master24]",
        "install-network after [init-control-plane:master24]",
        "join-control-plane:master25 after [install-network install-kubernetes:worker31 install-kubernetes:worker32]",
        "join-control-plane:master26 after [join-control-plane:master25]",
        "join-worker:worker31 after [install-network install-kubernetes:worker31 install-kubernetes:worker32]",
        "join-worker:worker32 after [install-network install-kubernetes:worker31 install-kubernetes:worker32]",
        "verify-cluster after [join-control-plane:master26 join-worker:worker31 join-worker:worker32]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
        "create-admin-account after [revoke-join-tokens]",
        "register-vim after [create-admin-account]",
      ]
    `);
  });

  it('gives kubeadm the shared address at the balanced port, and registers the VIM there', () => {
    const plan = made();
    expect(plan.common).toMatchObject({ cluster: { address: '10.10.0.9', port: 16443 } });
    expect(JSON.stringify(plan)).toContain('"authUrl":"https://10.10.0.9:16443"');
  });

  it('is refused before anything is installed where masters are reached by floating IPs and the cluster is not', () => {
    const floating = vnfc('master', 24, '10.10.0.24');
    floating.cps[0]!.floatingIp = '203.0.113.7';
    const hook = { vnfcs: [floating, ...vnfcs.slice(1)], sharedCps: [VIP] };
    expect(() => made(hook)).toThrow(expect.objectContaining({ code: 'cluster.no-public-address' }));
    const fip = { name: 'cluster_FIP', resourceId: 'fip', addresses: ['203.0.113.9'], floatingIp: null };
    const params = complexParams({ cluster_fip_name: 'cluster_FIP' });
    const { plan } = bench({ params, hook: { ...hook, sharedCps: [VIP, fip] } });
    expect(plan.common).toMatchObject({ cluster: { publicAddress: '203.0.113.9' } });
    expect(JSON.stringify(plan)).toContain('"authUrl":"https://203.0.113.9:16443"');
  });

  it('asks all masters when workers come and go, and stores the name of none', () => {
    for (const hook of ['scale_start', 'scale_end'] as const) {
      const of = scaled(hook);
      const worker = of.affectedVnfcs?.map((each) => ({ ...each, vnfc: vnfcs[4]! })) ?? [];
      const text = JSON.stringify(made({ ...of, affectedVnfcs: worker }));
      for (const id of ['master-24', 'master-25', 'master-26']) expect(text).toContain(`vnfc:${id}`);
      expect(text).not.toMatch(/"master2[456]"/);
    }
  });
});

describe('the plan of healing a master', () => {
  it('asks etcd first, takes it out of the load balancer and etcd through those that stay, and lets nobody be asked that is healed', () => {
    const hook = healed('heal_start', ['master-25']);
    expect(graph(hook)).toMatchInlineSnapshot(`
      [
        "name-nodes after []",
        "check-quorum after [name-nodes]",
        "cordon-node:10.10.0.25 after [check-quorum]",
        "drain-node:10.10.0.25 after [cordon-node:10.10.0.25]",
        "change-load-balancer:10.10.0.24 after [drain-node:10.10.0.25]",
        "change-load-balancer:10.10.0.26 after [drain-node:10.10.0.25]",
        "leave-load-balancer:10.10.0.25 after [change-load-balancer:10.10.0.24 change-load-balancer:10.10.0.26]",
        "leave-etcd after [leave-load-balancer:10.10.0.25]",
        "remove-node:10.10.0.25 after [leave-etcd]",
      ]
    `);
    const { steps } = compilePlan(made(hook));
    const asking = steps.filter(({ input }) => input.masters !== undefined);
    for (const { id, input } of asking) expect(JSON.stringify(input.masters), id).not.toContain('vnfc:master-25');
    expect(asking.length).toBeGreaterThan(5);
  });

  it('has the replacement join as a master, and the others serve it again', () => {
    expect(graph(healed('heal_end', ['master-25', 'worker-31']))).toMatchInlineSnapshot(`
      [
        "name-nodes after []",
        "configure-load-balancer:10.10.0.25 after [install-kubernetes:10.10.0.25]",
        "join-control-plane:10.10.0.25 after [configure-load-balancer:10.10.0.25]",
        "join-worker:10.10.0.31 after [install-kubernetes:10.10.0.31]",
        "change-load-balancer:10.10.0.24 after [join-control-plane:10.10.0.25 join-worker:10.10.0.31]",
        "change-load-balancer:10.10.0.26 after [join-control-plane:10.10.0.25 join-worker:10.10.0.31]",
        "verify-load-balancer:10.10.0.24 after [change-load-balancer:10.10.0.24 change-load-balancer:10.10.0.26]",
        "update-peers:10.10.0.24 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.26 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.32 after [verify-load-balancer:10.10.0.24]",
        "verify-cluster after [update-peers:10.10.0.24 update-peers:10.10.0.26 update-peers:10.10.0.32]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
      ]
    `);
  });
});

describe('a request about masters', () => {
  const { driver } = bench();
  const request = (more: Partial<ValidateRequest>) =>
    driver.validate(validateRequest({}, { instantiateParams: complexParams(), ...more }));
  const instance = (ids: string[], of = vnfcs) =>
    request({
      operation: 'HEAL',
      instance: { vnfcs: of, sharedCps: [VIP], affectedVnfcs: [], heal: healed('heal_start', ids).heal! },
    });

  it.each([
    [3, {}, []],
    [2, {}, [[`/additionalParams/${PARAMS}/master_node/aspect_id`, /odd number/]]],
    [4, {}, [[`/additionalParams/${PARAMS}/master_node/aspect_id`, /no more losses with 4 than with 3/]]],
    [3, { aspect_id: undefined }, [[`/additionalParams/${PARAMS}/master_node/aspect_id`, /is missing/]]],
    [
      3,
      { cluster_cp_name: 'masterNode_CP1' },
      [[`/additionalParams/${PARAMS}/master_node/cluster_cp_name`, /share the address/]],
    ],
    [1, {}, [[`/additionalParams/${PARAMS}/master_node/cluster_cp_name`, /with one master/]]],
  ] as const)('to make %i with %o is answered with %o', (masters, more, faults) => {
    const params = complexParams(more as JsonObject);
    const { invalidParams } = driver.validate(validateRequest(params, { countsAfter: { masterNode: masters, workerNode: 2 } }));
    expect(invalidParams.map(({ path }) => path)).toEqual(faults.map(([path]) => path));
    for (const [n, [, reason]] of faults.entries()) expect(invalidParams[n]?.reason).toMatch(reason);
  });

  it('to scale them is refused at the aspect, and to scale workers is not', () => {
    const scale = (aspectId: string) => request({ operation: 'SCALE', request: { type: 'SCALE_OUT', aspectId } });
    expect(scale('master_instance').invalidParams).toMatchObject([{ path: '/aspectId' }]);
    expect(scale('worker_instance').invalidParams).toEqual([]);
    const level = (masterNode: number) =>
      request({
        operation: 'SCALE_TO_LEVEL',
        request: { scaleInfo: [] },
        countsAfter: { masterNode },
        instance: { vnfcs, sharedCps: [], affectedVnfcs: [] },
      });
    expect(level(5).invalidParams).toMatchObject([{ path: '/scaleInfo' }]);
    expect(level(3).invalidParams).toEqual([]);
  });

  it('to heal one of three is taken, two at once and the only one are not', () => {
    expect(instance(['master-25']).refusal).toBeUndefined();
    expect(instance(['master-25', 'worker-31', 'worker-32']).refusal).toBeUndefined();
    expect(instance(['master-25', 'master-24']).refusal?.code).toBe('cluster.one-master-at-a-time');
    expect(instance(['master-24'], [vnfcs[0]!, vnfcs[3]!]).refusal?.code).toBe('cluster.only-master');
  });
});
