import type { JsonObject } from '@windlass/foundation';
import { schemaFaults, type ValidateReply, type ValidateRequest } from '@windlass/mgmt-driver';
import { compilePlan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { healed, vnfc } from '../testing/requests.js';
import { checkConnectivity } from './check-connectivity.js';
import { checkHeal, checkInstantiation, checkScale, checkScaleToLevel } from './check-request.js';
import { kubesprayParameters } from './parameters.js';
import { terminateEnd } from './plans.js';
import { filledParams, hookContext, INSTANCE, PARAMS, seedParams, SERVER, validateRequest } from './testing/requests.js';

const ROOT = `/additionalParams/${PARAMS}`;

/** The filled sample, with something else at a path of two names. */
function changed(object: string, field: string, value: unknown): JsonObject {
  const params = filledParams();
  (params[PARAMS] as Record<string, JsonObject>)[object]![field] = value as JsonObject;
  return params;
}

describe('a request for a cluster by kubespray', () => {
  it('that is the document’s sample as it stands is told which placeholders are to be filled', () => {
    const faults = schemaFaults(kubesprayParameters, seedParams(), () => undefined).map(({ path }) => path);
    expect(faults).toEqual([`${ROOT}/ansible/kubespray_root_path`, `${ROOT}/ansible/transferring_inventory_path`]);
    const rootless = changed('ansible', 'ip_address', '0.0.0.0');
    expect(checkInstantiation(validateRequest(rootless)).invalidParams).toMatchObject([
      { path: `${ROOT}/ansible/ip_address`, reason: expect.stringContaining('placeholder') as string },
    ]);
  });

  it('that is filled in is taken: its empty script_path is never read, its CIDR loses its host bits with a warning', () => {
    const { invalidParams, warnings, normalised } = checkInstantiation(validateRequest(filledParams()));
    expect(invalidParams).toEqual([]);
    expect(warnings).toEqual(['pod_cidr 192.168.3.0/16 was taken as 192.168.0.0/16']);
    expect(normalised).toMatchObject({ [PARAMS]: { master_node: { pod_cidr: '192.168.0.0/16' } } });
  });

  it.each([
    ['ansible', 'ip_address', 'localhost'],
    ['ansible', 'kubespray_root_path', 'kubespray'],
    ['ansible', 'kubespray_root_path', '/opt/../etc'],
    ['ansible', 'transferring_inventory_path', '/opt/a b'],
    ['ansible', 'inventory_format', 'toml'],
    ['ansible', 'username', 'a; reboot'],
    ['master_node', 'username', 'a b'],
    ['worker_node', 'ssh_cp_name', 'a/b'],
  ])('with %s.%s %j is refused at that path by the schema', (object, field, value) => {
    const faults = schemaFaults(kubesprayParameters, changed(object, field, value), () => undefined);
    expect(faults.map(({ path }) => path)).toEqual([`${ROOT}/${object}/${field}`]);
  });

  it.each([
    ['master_node', 'pod_cidr', '10.0.0.0/24'],
    ['master_node', 'cluster_cidr', '192.168.7.0/24'],
    ['worker_node', 'ssh_cp_name', 'masterNode_CP1'],
    ['worker_node', 'passphrase', 'secret'],
  ])('with %s.%s %j is refused by what it means', (object, field, value) => {
    const { invalidParams } = checkInstantiation(validateRequest(changed(object, field, value)));
    expect(invalidParams.map(({ path }) => path)).toContain(`${ROOT}/${object}/${field}`);
  });

  it('for an even number of masters is refused, and for several without a load balancer warns that the VIM is the first', () => {
    const of = (masterNode: number) =>
      checkInstantiation(validateRequest(filledParams(), { countsAfter: { masterNode, workerNode: 2 } }));
    expect(of(2).invalidParams.map(({ path }) => path)).toEqual([`${ROOT}/master_node/aspect_id`]);
    expect(of(3).invalidParams).toEqual([]);
    expect(of(3).warnings.join()).toContain('the first of its 3 masters');
  });
});

describe('a request about masters that kubespray made', () => {
  const vnfcs = [vnfc('master', 1, '10.10.0.24'), vnfc('worker', 1, '10.10.0.31')];
  const about = (more: Partial<ValidateRequest>): ValidateRequest =>
    validateRequest({}, { instantiateParams: filledParams(), instance: { vnfcs, sharedCps: [], affectedVnfcs: [] }, ...more });

  it('to heal one is 409 with the reason; workers and the whole are healed', () => {
    const heal = (ids: string[], whole = false) =>
      checkHeal(
        about({
          operation: 'HEAL',
          instance: { vnfcs, sharedCps: [], affectedVnfcs: [], heal: healed('heal_start', ids, { whole }).heal! },
        }),
      ).refusal;
    expect(heal(['master-1', 'worker-1'])).toMatchObject({
      code: 'cluster.kubespray-master',
      detail: expect.stringContaining('no playbook for the healing of one') as string,
    });
    expect(heal(['worker-1'])).toBeUndefined();
    expect(heal([], true)).toBeUndefined();
  });

  it('to scale them is refused at what decides it; to scale workers is taken', () => {
    const scale = (aspectId: string) => checkScale(about({ operation: 'SCALE', request: { aspectId } })).invalidParams;
    expect(scale('master_instance')).toMatchObject([{ path: '/aspectId' }]);
    expect(scale('worker_instance')).toEqual([]);
    const level = (masterNode: number) =>
      checkScaleToLevel(about({ operation: 'SCALE_TO_LEVEL', request: { scaleInfo: [] }, countsAfter: { masterNode } }));
    expect(level(3).invalidParams).toMatchObject([{ path: '/scaleInfo' }]);
    expect(level(1).invalidParams).toEqual([]);
  });
});

describe('a request that names another Ansible server, which is told the logins of the nodes', () => {
  const { ansible, master_node: master } = filledParams()[PARAMS] as Record<string, JsonObject>;
  const elsewhere = { ...ansible, ip_address: '192.0.2.66' };
  const needs = (requestParams: JsonObject, check: (request: ValidateRequest) => ValidateReply = checkHeal): string[] =>
    check(validateRequest(requestParams, { operation: 'HEAL', instantiateParams: filledParams() })).invalidParams.map(
      ({ path }) => path,
    );

  it.each([
    ['HEAL', checkHeal],
    ['SCALE', checkScale],
    ['SCALE_TO_LEVEL', checkScaleToLevel],
  ])('for %s gives them anew', (_operation, check) => {
    const missing = [`${ROOT}/master_node/password`, `${ROOT}/worker_node/password`];
    expect(needs({ [PARAMS]: { ansible: elsewhere } }, check)).toEqual(missing);
  });

  it('is taken with them, in either way of giving them, and asks for those alone that are missing', () => {
    const given = { [PARAMS]: { ansible: elsewhere, master_node: { ...master, password: 'another' } } };
    expect(needs(given)).toEqual([`${ROOT}/worker_node/password`]);
    expect(needs({ ...given, worker_node_private_key: 'PEM' })).toEqual([]);
  });

  it('needs none where it is the same server with another login', () => {
    expect(needs({ [PARAMS]: { ansible: { ...ansible, password: 'another' } } })).toEqual([]);
    expect(needs({ ansible_password: 'another' })).toEqual([]);
    expect(needs({})).toEqual([]);
  });

  it('is told of the folder that stays there, whose login nobody keeps; that of the first server alone goes with the VNF', () => {
    const told = (requestParams: JsonObject) =>
      checkHeal(validateRequest(requestParams, { operation: 'HEAL', instantiateParams: filledParams() })).warnings;
    const name = `windlass-${INSTANCE} under ${String(ansible!.transferring_inventory_path)}`;
    expect(told({ [PARAMS]: { ansible: elsewhere } })).toEqual([
      `the folder ${name} on the Ansible server 192.0.2.66 is for this operation, and TERMINATE removes ${name} on the Ansible server ${SERVER} alone: remove it there by hand`,
    ]);
    expect(told({ [PARAMS]: { ansible: { ...ansible, transferring_inventory_path: '/srv' } } })).toHaveLength(1);
    expect(told({ [PARAMS]: { ansible: { ...ansible, password: 'another' } } })).toEqual([]);
    expect(told({})).toEqual([]);
    const { steps } = compilePlan(terminateEnd(hookContext(filledParams(), 1, { hook: 'terminate_end' })));
    expect(steps.filter(({ action }) => action === 'remove-inventory').map(({ target }) => target)).toEqual([SERVER]);
  });
});

describe('a request for another connectivity of a cluster by kubespray', () => {
  it('is refused where something that kubespray wrote down would move, and taken for what the cluster does not use', () => {
    const { master_node: master } = filledParams()[PARAMS] as Record<string, JsonObject>;
    const asked = (cpdId: string, moves = true) =>
      checkConnectivity({
        ...validateRequest(filledParams()),
        operation: 'CHANGE_EXT_CONN',
        instance: {
          vnfcs: [],
          sharedCps: [],
          affectedVnfcs: [],
          connectivity: { cps: [{ cpdId, moves }], networks: {}, earlierCps: {}, earlierSharedCps: [] },
        },
      }).refusal;
    const cp = String(master!.ssh_cp_name);
    expect(asked(cp)).toMatchObject({ code: 'cluster.kubespray-moves', detail: expect.stringContaining(cp) as string });
    expect(asked(cp, false)).toBeUndefined();
    expect(asked('oam_CP')).toBeUndefined();
  });
});
