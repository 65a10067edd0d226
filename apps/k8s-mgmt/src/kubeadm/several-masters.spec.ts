import type { HookContext, ValidateRequest } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { bench } from '../testing/bench.js';
import { healed, PARAMS, plainParams, scaled, script, validateRequest, vnfc } from '../testing/requests.js';

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
        "join-control-plane:master25 after [install-network]",
        "join-control-plane:master26 after [join-control-plane:master25]",
        "join-worker:worker31 after [install-kubernetes:worker31 install-network]",
        "join-worker:worker32 after [install-kubernetes:worker32 install-network]",
        "verify-cluster after [join-control-plane:master26 join-worker:worker31 join-worker:worker32]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
        "list-certificates after [revoke-join-tokens]",
        "keep-snapshot after [list-certificates]",
        "create-admin-account after [keep-snapshot]",
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

describe('the plan of scaling masters', () => {
  const scaling = (hook: 'scale_start' | 'scale_end', of: typeof vnfcs) => ({
    ...scaled(hook),
    affectedVnfcs: of.map((each) => ({
      changeType: hook === 'scale_start' ? ('REMOVED' as const) : ('ADDED' as const),
      vnfc: each,
    })),
  });
  const five = [...vnfcs.slice(0, 3), vnfc('master', 27, '10.10.0.27'), vnfc('master', 28, '10.10.0.28'), ...vnfcs.slice(3)];
  const inputOf = (plan: ReturnType<typeof made>, id: string) => compilePlan(plan).steps.find((step) => step.id === id)!.input;
  const holders = (balancer: unknown) =>
    (balancer as { holders: string[] }).holders.map((address) => address.split('.')[3]).join(' ');

  it('out: newcomers are known to the others before they may hold the address, and join one at a time', () => {
    const hook = { ...scaling('scale_end', five.slice(3, 5)), vnfcs: five };
    expect(graph(hook)).toMatchInlineSnapshot(`
      [
        "name-nodes after []",
        "read-cluster-version after [name-nodes]",
        "change-load-balancer:10.10.0.24 after [read-cluster-version]",
        "change-load-balancer:10.10.0.25 after [read-cluster-version]",
        "change-load-balancer:10.10.0.26 after [read-cluster-version]",
        "configure-load-balancer:10.10.0.27 after [install-kubernetes:10.10.0.27]",
        "configure-load-balancer:10.10.0.28 after [install-kubernetes:10.10.0.28]",
        "remove-dead-members after [configure-load-balancer:10.10.0.27 configure-load-balancer:10.10.0.28]",
        "join-control-plane:10.10.0.27 after [remove-dead-members]",
        "join-control-plane:10.10.0.28 after [join-control-plane:10.10.0.27]",
        "verify-load-balancer:10.10.0.24 after [join-control-plane:10.10.0.28]",
        "update-peers:10.10.0.24 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.25 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.26 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.31 after [verify-load-balancer:10.10.0.24]",
        "update-peers:10.10.0.32 after [verify-load-balancer:10.10.0.24]",
        "verify-cluster after [update-peers:10.10.0.24 update-peers:10.10.0.25 update-peers:10.10.0.26 update-peers:10.10.0.31 update-peers:10.10.0.32]",
        "remove-probes after [verify-cluster]",
        "revoke-join-tokens after [remove-probes]",
        "list-certificates after [revoke-join-tokens]",
      ]
    `);
    const { balancer, before } = inputOf(made(hook), 'change-load-balancer:10.10.0.24');
    expect([holders(balancer), holders(before)]).toEqual(['24 25 26 27 28', '24 25 26']);
  });

  it('in: who leaves gives the address away before the others forget it, and leaves etcd by those that stay, one after another', () => {
    const hook = { ...scaling('scale_start', five.slice(1, 3)), vnfcs: five };
    expect(graph(hook)).toMatchInlineSnapshot(`
      [
        "check-certificates after []",
        "keep-snapshot after [check-certificates]",
        "name-nodes after [keep-snapshot]",
        "check-quorum after [name-nodes]",
        "cordon-node:10.10.0.25 after [check-quorum]",
        "cordon-node:10.10.0.26 after [check-quorum]",
        "drain-node:10.10.0.25 after [cordon-node:10.10.0.25 cordon-node:10.10.0.26]",
        "drain-node:10.10.0.26 after [cordon-node:10.10.0.25 cordon-node:10.10.0.26]",
        "leave-load-balancer:10.10.0.25 after [drain-node:10.10.0.25 drain-node:10.10.0.26]",
        "leave-load-balancer:10.10.0.26 after [drain-node:10.10.0.25 drain-node:10.10.0.26]",
        "change-load-balancer:10.10.0.24 after [leave-load-balancer:10.10.0.25 leave-load-balancer:10.10.0.26]",
        "change-load-balancer:10.10.0.27 after [leave-load-balancer:10.10.0.25 leave-load-balancer:10.10.0.26]",
        "change-load-balancer:10.10.0.28 after [leave-load-balancer:10.10.0.25 leave-load-balancer:10.10.0.26]",
        "leave-etcd:10.10.0.25 after [change-load-balancer:10.10.0.24 change-load-balancer:10.10.0.27 change-load-balancer:10.10.0.28]",
        "leave-etcd:10.10.0.26 after [leave-etcd:10.10.0.25]",
        "remove-node:10.10.0.25 after [leave-etcd:10.10.0.26]",
        "remove-node:10.10.0.26 after [leave-etcd:10.10.0.26]",
        "update-peers:10.10.0.24 after [remove-node:10.10.0.25 remove-node:10.10.0.26]",
        "update-peers:10.10.0.27 after [remove-node:10.10.0.25 remove-node:10.10.0.26]",
        "update-peers:10.10.0.28 after [remove-node:10.10.0.25 remove-node:10.10.0.26]",
        "update-peers:10.10.0.31 after [remove-node:10.10.0.25 remove-node:10.10.0.26]",
        "update-peers:10.10.0.32 after [remove-node:10.10.0.25 remove-node:10.10.0.26]",
        "list-certificates after [update-peers:10.10.0.24 update-peers:10.10.0.27 update-peers:10.10.0.28 update-peers:10.10.0.31 update-peers:10.10.0.32]",
      ]
    `);
    const plan = made(hook);
    const { balancer, before } = inputOf(plan, 'change-load-balancer:10.10.0.24');
    expect([holders(balancer), holders(before)]).toEqual(['24 27 28', '24 25 26 27 28']);
    for (const { id, input } of compilePlan(plan).steps) {
      if (input.masters === undefined) continue;
      expect(JSON.stringify(input.masters), id).not.toMatch(/vnfc:master-2[56]/);
    }
    expect(inputOf(plan, 'check-quorum')).toMatchObject({ replaced: false });
  });

  it('is refused where it would leave less than three, whatever was known at the request', () => {
    const hook = { ...scaling('scale_start', vnfcs.slice(0, 1)), vnfcs };
    expect(() => made(hook)).toThrow(expect.objectContaining({ code: 'cluster.masters' }));
  });
});

describe('nodes that are told of their peers', () => {
  const peers = (hook: Partial<HookContext>, params: JsonObject) => {
    const plan = bench({ params, requestParams: {}, hook: { vnfcs, sharedCps: [VIP], ...hook } }).plan;
    return compilePlan(plan)
      .steps.filter(({ action }) => action === 'update-peers')
      .map(({ id, deps }) => `${id} after ${deps.join(' ')}`);
  };
  const hook = { ...scaled('scale_end'), vnfcs };

  it('restart containerd one after the other where the cluster has proxies, masters first', () => {
    const params = complexParams();
    Object.assign(params[PARAMS] as JsonObject, { proxy: { http_proxy: 'http://proxy.example:3128' } });
    const told = peers(hook, params);
    expect(told).toHaveLength(4);
    for (const [at, line] of told.slice(1).entries()) expect(line).toContain(told[at]!.split(' ')[0]);
  });

  it('are told side by side where none restarts', () => {
    const told = peers(hook, complexParams());
    expect(told).toHaveLength(4);
    expect(told.join()).not.toContain('after update-peers');
  });
});

describe('the plan of healing a master', () => {
  it('asks etcd first, takes it out of the load balancer and etcd through those that stay, and lets nobody be asked that is healed', () => {
    const hook = healed('heal_start', ['master-25']);
    expect(graph(hook)).toMatchInlineSnapshot(`
      [
        "check-certificates after []",
        "read-cluster-version after [check-certificates]",
        "keep-snapshot after [read-cluster-version]",
        "name-nodes after [keep-snapshot]",
        "check-quorum after [name-nodes]",
        "cordon-node:10.10.0.25 after [check-quorum]",
        "drain-node:10.10.0.25 after [cordon-node:10.10.0.25]",
        "change-load-balancer:10.10.0.24 after [drain-node:10.10.0.25]",
        "change-load-balancer:10.10.0.26 after [drain-node:10.10.0.25]",
        "leave-load-balancer:10.10.0.25 after [change-load-balancer:10.10.0.24 change-load-balancer:10.10.0.26]",
        "leave-etcd:10.10.0.25 after [leave-load-balancer:10.10.0.25]",
        "remove-node:10.10.0.25 after [leave-etcd:10.10.0.25]",
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
        "read-cluster-version after [name-nodes]",
        "configure-load-balancer:10.10.0.25 after [install-kubernetes:10.10.0.25]",
        "remove-dead-members after [configure-load-balancer:10.10.0.25]",
        "join-control-plane:10.10.0.25 after [remove-dead-members]",
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
        "list-certificates after [revoke-join-tokens]",
      ]
    `);
  });
});

describe('a request about masters', () => {
  const { driver } = bench();
  const request = (more: Partial<ValidateRequest>) =>
    driver.validate(validateRequest({}, { instantiateParams: complexParams(), ...more }));
  const instance = (ids: string[], of = vnfcs, files = [script()]) =>
    request({
      operation: 'HEAL',
      files,
      instance: { vnfcs: of, sharedCps: [VIP], affectedVnfcs: [], heal: healed('heal_start', ids).heal! },
    });

  it.each([
    [3, {}, []],
    [2, {}, [[`/additionalParams/${PARAMS}/master_node/aspect_id`, /three or more were expected/]]],
    [4, {}, []],
    [3, { aspect_id: undefined, vdu_id: 'masterNode' }, []],
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

  it('that are logged in to by floating IPs lacks one of the cluster: the field is named', () => {
    const floating = { ...validateRequest(complexParams()).flavour, floating: ['masterNode_CP1'] };
    const counts = { countsAfter: { masterNode: 3, workerNode: 2 }, flavour: floating };
    const faultsOf = (params: JsonObject, more = {}) =>
      driver.validate(validateRequest(params, { ...counts, ...more })).invalidParams;
    expect(faultsOf(complexParams())).toMatchObject([{ path: `/additionalParams/${PARAMS}/master_node/cluster_fip_name` }]);
    expect(faultsOf(complexParams({ cluster_fip_name: 'cluster_FIP' }))).toEqual([]);
    expect(faultsOf(complexParams(), { flavour: { ...floating, floating: ['workerNode_CP2'] } })).toEqual([]);
  });

  it.each([
    [3, 5, undefined],
    [5, 3, undefined],
    [3, 3, undefined],
    [3, 4, undefined],
    [4, 3, undefined],
    [3, 2, /would leave 2 of 3/],
    [3, 1, /would leave 1 of 3/],
    [1, 3, /has one master, whose own address is the cluster's/],
  ])('to have %i masters become %i is answered with %s, at what decides it', (before, after, reason) => {
    const masters = Array.from({ length: before }, (_, n) => vnfc('master', 24 + n, `10.10.0.${24 + n}`));
    const more = { countsAfter: { masterNode: after }, instance: { vnfcs: masters, sharedCps: [], affectedVnfcs: [] } };
    const scale = { type: 'SCALE_OUT', aspectId: 'master_instance', numberOfSteps: 2 };
    const ways = [
      ['/numberOfSteps', request({ ...more, operation: 'SCALE', request: scale })],
      ['/scaleInfo', request({ ...more, operation: 'SCALE_TO_LEVEL', request: { scaleInfo: [] } })],
      ['/instantiationLevelId', request({ ...more, operation: 'SCALE_TO_LEVEL', request: { instantiationLevelId: 'big' } })],
    ] as const;
    for (const [path, { invalidParams }] of ways) {
      expect(invalidParams.map((fault) => fault.path)).toEqual(reason === undefined ? [] : [path]);
      if (reason !== undefined) expect(invalidParams[0]?.reason).toMatch(reason);
    }
    expect(request({ ...more, operation: 'SCALE', request: { ...scale, aspectId: 'worker_instance' } }).invalidParams).toEqual(
      [],
    );
  });

  it('to have an even number of them is taken, and warned of', () => {
    const four = { masterNode: 4, workerNode: 2 };
    const said = [expect.stringMatching(/4 masters: etcd stands no more losses with 4 than with 3/) as string];
    expect(driver.validate(validateRequest(complexParams(), { countsAfter: four })).warnings).toEqual(
      expect.arrayContaining(said),
    );
    const more = { countsAfter: four, instance: { vnfcs, sharedCps: [VIP], affectedVnfcs: [] } };
    const scale = { type: 'SCALE_OUT', aspectId: 'master_instance', numberOfSteps: 1 };
    expect(request({ ...more, operation: 'SCALE', request: scale }).warnings).toEqual(said);
    expect(request({ ...more, operation: 'SCALE', request: scale, countsAfter: { masterNode: 5 } }).warnings).toEqual([]);
    const vms = [...vnfcs.slice(0, 3), vnfc('master', 27, '10.10.0.27'), ...vnfcs.slice(3)];
    const hook = {
      ...scaled('scale_end'),
      affectedVnfcs: [{ changeType: 'ADDED' as const, vnfc: vms[3]! }],
      vnfcs: vms,
    };
    expect(() => made(hook)).not.toThrow();
  });

  it('is checked by their VDU where the parameters name no aspect', () => {
    const byVdu = complexParams({ vdu_id: 'masterNode' });
    delete (byVdu[PARAMS] as Record<string, JsonObject>).master_node!.aspect_id;
    const asked = (before: number, after: number, more: Partial<ValidateRequest> = {}) =>
      request({
        operation: 'SCALE',
        instantiateParams: byVdu,
        countsAfter: { masterNode: after, workerNode: 2 },
        instance: { vnfcs: [...vnfcs.slice(0, before), vnfcs[3]!], sharedCps: [VIP], affectedVnfcs: [] },
        request: { type: 'SCALE_OUT', aspectId: 'master_instance', numberOfSteps: 1 },
        ...more,
      }).invalidParams;
    expect(asked(3, 2)).toMatchObject([
      { path: '/numberOfSteps', reason: expect.stringMatching(/would leave 2 of 3/) as string },
    ]);
    expect(asked(1, 3)).toMatchObject([{ path: '/numberOfSteps', reason: expect.stringMatching(/has one master/) as string }]);
    expect(asked(3, 5, { files: [script('#!/bin/bash')] })).toMatchObject([{ path: '/numberOfSteps' }]);
    expect(asked(3, 3)).toEqual([]);
  });

  it('that a script of the package made is refused where they are to become more', () => {
    const five = { countsAfter: { masterNode: 5 }, instance: { vnfcs, sharedCps: [VIP], affectedVnfcs: [] } };
    const files = [script('#!/bin/bash')];
    const scale = { operation: 'SCALE', request: { aspectId: 'master_instance', numberOfSteps: 2 } } as const;
    const level = { operation: 'SCALE_TO_LEVEL', request: { instantiationLevelId: 'big' } } as const;
    for (const [of, path] of [
      [scale, '/numberOfSteps'],
      [level, '/instantiationLevelId'],
    ] as const)
      // prettier-ignore
      expect(request({ ...five, ...of, files }).invalidParams).toEqual([
        { path, reason: expect.stringContaining('would make 5 masters of 3, which a script of the package made') as string },
      ]);
    expect(request({ ...five, ...scale, countsAfter: { masterNode: 3, workerNode: 4 }, files }).invalidParams).toEqual([]);
  });

  it('to heal those is taken without whom the others are a quorum; two of three and the only one are not', () => {
    expect(instance(['master-25']).refusal).toBeUndefined();
    expect(instance(['master-25', 'worker-31', 'worker-32']).refusal).toBeUndefined();
    expect(instance(['master-25', 'master-24']).refusal).toMatchObject({
      code: 'cluster.quorum',
      detail: expect.stringMatching(/are 2 of 3 masters, .* without 2 of them: heal 1 at most/) as string,
    });
    const five = [...vnfcs, vnfc('master', 27, '10.10.0.27'), vnfc('master', 28, '10.10.0.28')];
    expect(instance(['master-25', 'master-24'], five).refusal).toBeUndefined();
    expect(instance(['master-25', 'master-24', 'master-28'], five).refusal?.code).toBe('cluster.quorum');
    expect(instance(['master-25', 'master-24'], five.slice(0, 6)).refusal?.code).toBe('cluster.quorum');
    expect(instance(['master-24'], [vnfcs[0]!, vnfcs[3]!]).refusal?.code).toBe('cluster.only-master');
  });

  it('to heal is answered the same whoever installed them', () => {
    const packaged = (ids: string[], of = vnfcs) => instance(ids, of, [script('#!/bin/bash')]);
    expect(packaged(['master-25']).refusal).toBeUndefined();
    expect(packaged(['master-25', 'worker-31']).refusal).toBeUndefined();
    expect(packaged(['master-25', 'master-24']).refusal?.code).toBe('cluster.quorum');
    expect(packaged(['master-24'], [vnfcs[0]!, vnfcs[3]!]).refusal?.code).toBe('cluster.only-master');
  });
});
