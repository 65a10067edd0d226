import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { driverBench } from '@windlass/driver-kit/testing';
import { InvariantError, isJsonObject, WindlassError, type Json, type JsonObject } from '@windlass/foundation';
import type { Hook, HookContext, Vnfc } from '@windlass/mgmt-driver';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { compilePlan, type Plan } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { kubernetesDriver } from './kubeadm.driver.js';
import { kubesprayDriver } from './kubespray.driver.js';
import { documentParams, hookContext as kubesprayHook } from './kubespray/testing/requests.js';
import { nodePortDriver } from './node-port.driver.js';
import { k8sParts } from './service.js';
import { defaultSettings, type K8sMgmtSettings } from './settings/settings.js';
import { BALANCER } from './testing/external-lb.js';
import { CALICO, MANIFESTS, withManifests } from './testing/network-addons.js';
import { FILES as LB_FILES, lbHook, lbParams, SCRIPT_PATH } from './testing/node-ports.js';
import {
  guideParams,
  healed,
  hookContext,
  manifests,
  PARAMS,
  plainParams,
  reconnected,
  script,
  storageServer,
  vnfc,
  withStorage,
  withVms,
} from './testing/requests.js';

// What plans, descriptions and actions are in journals and registries of a release that runs. A refactoring changes no line of the snapshot.
// PLANS_TO=<folder> writes each plan there as a whole: compare the folders of two releases to see what a line says.

const folder = process.env.PLANS_TO;

function shown(name: string, of: () => unknown): string {
  let value: unknown;
  try {
    value = of();
  } catch (error) {
    if (!(error instanceof WindlassError)) throw error;
    return `${name}: ${error.code}`;
  }
  const text = JSON.stringify(value, (_key, each) => sorted(each), 1);
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name.replaceAll(/[^\w]+/g, '-')}.json`), `${text}\n`);
  }
  return `${name}: ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** As the engine keeps it; as it is where it has no step, or is none that can be compiled. */
function compiled(plan: Plan) {
  try {
    const { steps, common } = compilePlan(plan);
    return { madeBy: plan.madeBy, steps, common };
  } catch (error) {
    if (!(error instanceof InvariantError)) throw error;
    return plan;
  }
}

/** JSON has no order of members. */
const sorted = (value: unknown): unknown =>
  isJsonObject(value as Json)
    ? Object.fromEntries(Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const nodes = (masters: number[], workers: number[]): Vnfc[] => [
  ...masters.map((n) => vnfc('master', n, `10.10.0.${n}`)),
  ...workers.map((n) => vnfc('worker', n, `10.10.0.${n}`, { host: 'host-1', grantedZone: 'zone-1' })),
];
const VIP = { name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.9'], floatingIp: null };
const FIP = { name: 'cluster_FIP', resourceId: 'fip', addresses: ['203.0.113.9'], floatingIp: null };

/** The guide's parameters with others of the cluster, and of its masters. */
function params(cluster: JsonObject = {}, master: JsonObject = {}, of = plainParams()): JsonObject {
  const own = of[PARAMS] as Record<string, JsonObject>;
  Object.assign(own, cluster);
  Object.assign(own.master_node!, master);
  return of;
}

const registries = {
  private_registry_connection_info: [
    { connection_type: '1', server: 'one.example:5000/a', username: 'u', password: 'p', certificate_path: 'Files/ca.pem' },
    { connection_type: '0', server: '10.10.0.77:5000', hosts_string: '10.10.0.77 own.example' },
  ],
};
const CERTIFICATE = { path: 'Files/ca.pem', size: 9, sha256: 'aa'.repeat(32), firstLine: '-----BEGIN CERTIFICATE-----' };
const packaged = [script('#!/bin/bash')];

interface Cluster {
  params: JsonObject;
  hook: Partial<HookContext> & { vnfcs: Vnfc[] };
  settings?: K8sMgmtSettings;
  requestParams?: JsonObject;
}

const one = { vnfcs: nodes([24], [31, 32]) };
const three = { vnfcs: nodes([24, 25, 26], [31, 32]), sharedCps: [VIP, FIP] };
const shared = { cluster_cp_name: 'vip_CP' };

const CLUSTERS: Readonly<Record<string, Cluster>> = {
  'one master': { params: params(), hook: one },
  'one master behind proxies': { params: guideParams(), hook: one },
  'one master by a script': { params: params(), hook: { ...one, files: packaged } },
  'three masters': { params: params({}, shared), hook: three },
  'three masters with a floating IP': {
    params: params({}, { ...shared, cluster_fip_name: 'cluster_FIP' }, guideParams()),
    hook: three,
  },
  'three masters by a script': { params: params({}, shared, guideParams()), hook: { ...three, files: packaged } },
  'three masters with registries': {
    params: params(registries, shared),
    hook: { ...three, files: [script(), CERTIFICATE] },
    requestParams: { drain_timeout_seconds: 60, drain_force: true, [PARAMS]: registries, master_node_password: 'new' },
  },
  'one master with storage': {
    params: withStorage(params({}, {}, guideParams())),
    hook: { ...withVms([...one.vnfcs, storageServer()]), files: [script(), ...manifests()] },
  },
  'three masters with storage by a script': {
    params: withStorage(params({}, shared)),
    hook: { ...three, ...withVms([...three.vnfcs, storageServer()]), files: [...packaged, ...manifests()] },
  },
  'calico of a registry': {
    params: params({ network_addon: 'calico', image_repository: 'own.example/k8s' }),
    hook: one,
    settings: { ...defaultSettings, calicoManifest: [{ kind: 'ConfigMap', calico: CALICO }] },
  },
  'manifests, and an image of its own': {
    params: params({ network_addon: Object.keys(MANIFESTS), verification_image: 'busybox:1' }),
    hook: { ...one, files: withManifests() },
  },
  'no network, and other sources': {
    params: params({ network_addon: 'none' }, { pod_cidr: '10.200.0.0/16', pod_node_prefix: 25 }),
    hook: one,
    settings: {
      ...defaultSettings,
      kubernetesAptUrl: undefined,
      containerdPackage: 'containerd.io',
      imageRepository: 'r.example',
    },
  },
};

/** Those of the nodes that came, or go, by their numbers. */
const scaling = (hook: Hook, changeType: 'ADDED' | 'REMOVED', numbers: number[], { vnfcs }: Cluster['hook']) => ({
  hook,
  request: { type: changeType === 'ADDED' ? 'SCALE_OUT' : 'SCALE_IN', aspectId: 'worker_instance', numberOfSteps: 1 },
  affectedVnfcs: vnfcs
    .filter(({ id }) => numbers.some((n) => id.endsWith(`-${n}`)))
    .map((each) => ({ changeType, vnfc: each })) as HookContext['affectedVnfcs'],
});

/** Every hook of the driver, with what it may be asked. */
const asked = (of: Cluster['hook']): Readonly<Record<string, Partial<HookContext>>> => {
  const moved = of.vnfcs.map((each) => ({ ...each, cps: each.cps.map((cp) => ({ ...cp })) }));
  for (const each of moved) if (each.id === 'worker-31') each.cps[0]!.addresses = ['10.10.0.71'];
  const connectivity = { vnfcs: moved, earlier: { 'worker-31': '10.10.0.31' }, sharedCps: of.sharedCps ?? [] };
  const more = [...of.vnfcs, vnfc('master', 27, '10.10.0.27'), vnfc('master', 28, '10.10.0.28')];
  return {
    'instantiate start': { hook: 'instantiate_start' },
    'instantiate end': { hook: 'instantiate_end' },
    'scale out start': scaling('scale_start', 'ADDED', [], of),
    'scale out end': scaling('scale_end', 'ADDED', [32], of),
    'scale in start': scaling('scale_start', 'REMOVED', [32], of),
    'scale in end': scaling('scale_end', 'REMOVED', [32], of),
    'masters come': { ...scaling('scale_end', 'ADDED', [27, 28], { vnfcs: more }), vnfcs: more },
    'masters go': { ...scaling('scale_start', 'REMOVED', [27, 28], { vnfcs: more }), vnfcs: more },
    'a master and a worker go': { ...scaling('scale_start', 'REMOVED', [27, 28, 31], { vnfcs: more }), vnfcs: more },
    ...Object.fromEntries(
      Object.entries({
        'of a worker': ['worker-31'],
        'of a master': ['master-24'],
        'of a master and a worker': ['master-24', 'worker-32'],
        'of the storage server': ['storage'],
        'of the storage server and a worker': ['storage', 'worker-31'],
        'of nobody': [],
      }).flatMap(([what, ids]) =>
        (['heal_start', 'heal_end'] as const).map((hook) => [`${hook} ${what}`, healed(hook, ids)] as const),
      ),
    ),
    'heal start of the whole': healed('heal_start', [], { whole: true }),
    'heal end of the whole': healed('heal_end', [], { whole: true }),
    'connectivity start': reconnected('change_external_connectivity_start', { ...connectivity, cps: ['workerNode_CP2'] }),
    'connectivity end': reconnected('change_external_connectivity_end', { ...connectivity, cps: ['workerNode_CP2'] }),
    'certificates looked at': { hook: 'modify_information_end', request: { windlassCertificates: 'look' } },
    'certificates renewed': { hook: 'modify_information_end', request: { windlassCertificates: 'renew' } },
    'snapshot taken': { hook: 'modify_information_end', request: { windlassSnapshots: 'take' } },
    'modified otherwise': { hook: 'modify_information_end' },
    'terminate start': { hook: 'terminate_start' },
    'terminate end': { hook: 'terminate_end' },
  };
};

describe('what stands in journals, and in the registry of drivers, stays as it is', () => {
  it.each(Object.entries(CLUSTERS))('kubeadm: %s', (name, { params: of, hook, settings = defaultSettings, requestParams }) => {
    const driver = kubernetesDriver(settings);
    const lines = Object.entries(asked(hook)).map(([what, at]) => {
      const given = what.startsWith('instantiate') ? {} : { requestParams: requestParams ?? {} };
      const context = hookContext(of, 0, { ...hook, ...given, ...at, clusterUrl: 'https://10.10.0.24:6443' });
      return shown(`kubeadm, ${name}, ${what}`, () => compiled(driver.plan(context)));
    });
    expect(lines).toMatchSnapshot();
  });

  it('kubespray', () => {
    const driver = kubesprayDriver(defaultSettings);
    const { vnfcs } = one;
    const hooks = Object.entries(asked({ vnfcs: [...vnfcs, BALANCER.vnfc] })).filter(
      ([what]) => !/^(connectivity|certificates|snapshot|modified|masters|a master)/.test(what),
    );
    const plans = (name: string, of: JsonObject, requestParams: JsonObject) =>
      hooks.map(([what, at]) => {
        const given = what.startsWith('instantiate') ? {} : { requestParams };
        const files = [{ ...script(), path: 'Scripts/ExternalLB_installation.sh' }];
        const context = kubesprayHook(of, 0, { vnfcs: [...vnfcs, BALANCER.vnfc], files, ...given, ...at });
        return shown(`kubespray, ${name}, ${what}`, () => compiled(driver.plan(context)));
      });
    const alone = documentParams();
    const cluster = alone[PARAMS] as Record<string, JsonObject>;
    for (const member of ['external_lb_param', 'proxy']) Reflect.deleteProperty(cluster, member);
    Object.assign(cluster.ansible!, { inventory_format: 'ini' });
    const again = { [PARAMS]: documentParams()[PARAMS] ?? null, worker_node_password: 'new', ansible_password: 'new' };
    expect([...plans('document', documentParams(), {}), ...plans('alone', alone, again)]).toMatchSnapshot();
  });

  it('NodePorts', () => {
    const driver = nodePortDriver(defaultSettings);
    const hooks: Hook[] = ['instantiate_start', 'instantiate_end', 'heal_start', 'heal_end', 'terminate_start', 'terminate_end'];
    const lines = Object.entries({ ours: lbParams(), script: lbParams({ script_path: SCRIPT_PATH }) }).flatMap(([name, of]) =>
      hooks.map((hook) => {
        const heal = hook.startsWith('heal') ? healed('heal_start', [], { whole: true }) : {};
        const context = lbHook({ instantiateParams: of, requestParams: of, files: LB_FILES, ...heal, hook });
        return shown(`NodePorts, ${name}, ${hook}`, () => compiled(driver.plan(context)));
      }),
    );
    expect(lines).toMatchSnapshot();
  });

  it('what the drivers say of themselves', () => {
    const lines = [kubernetesDriver, kubesprayDriver, nodePortDriver].map((driver) => {
      const described = driver(defaultSettings).describe();
      return shown(`description of ${described.driver}`, () => described);
    });
    expect(lines).toMatchSnapshot();
  });

  it('the actions, and how often each is tried', () => {
    const { actions } = driverBench({
      parts: k8sParts(defaultSettings),
      hook: hookContext(params(), 1),
      params: params(),
      hosts: new FakeHosts(),
    });
    const lines = actions.map(({ key, retry, check, undo, stop }) =>
      [key, JSON.stringify(retry), check && 'check', undo && 'undo', stop && 'stop']
        .filter((word) => word !== undefined)
        .join(' '),
    );
    expect(lines.sort()).toMatchSnapshot();
  });
});
