import type { JsonObject } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { bench, type BenchOptions } from '../testing/bench.js';
import { FakeCluster } from '../testing/fake-cluster.js';
import { joins, packagedBench } from '../testing/packaged.js';
import { healed, hookContext, PARAMS, plainParams, scaled, script, validateRequest, vnfc } from '../testing/requests.js';
import { k8sParts } from '../service.js';
import { defaultSettings } from '../settings/settings.js';
import { checkInstantiation } from './checks/check-instantiation.js';

const FIELD = `/additionalParams/${PARAMS}/private_registry_connection_info`;
const CA = { path: 'Files/registries/ca.crt', size: 1_200, sha256: 'cd'.repeat(32), firstLine: '-----BEGIN CERTIFICATE-----' };

/** As the document of private registries has them (seeds/5-private-registry-spec.txt). */
const REGISTRIES: JsonObject[] = [
  { connection_type: '0', server: '192.168.0.10:5000' },
  {
    connection_type: '1',
    server: 'registry.example.com',
    username: 'user01',
    password: 'user01-password',
    certificate_path: 'Files/registries/ca.crt',
    hosts_string: '192.168.0.20 registry.example.com',
  },
];

const withRegistries = (registries: JsonObject[], cluster: JsonObject = {}): JsonObject => {
  const params = plainParams();
  Object.assign(params[PARAMS] as JsonObject, { private_registry_connection_info: registries, ...cluster });
  return params;
};

const checked = (registries: JsonObject[], more: Parameters<typeof validateRequest>[1] = {}) =>
  checkInstantiation(validateRequest(withRegistries(registries), { files: [script(), CA], ...more }), defaultSettings);

const faults = (...args: Parameters<typeof checked>): string[] =>
  checked(...args).invalidParams.map(({ path, reason }) => `${path}: ${reason}`);

describe('registries of a request', () => {
  it('may be as the document has them, or none, for our own installation and for a packaged script', () => {
    for (const files of [
      [script(), CA],
      [script('#!/bin/bash'), CA],
    ]) {
      expect(faults(REGISTRIES, { files })).toEqual([]);
      expect(faults([], { files })).toEqual([]);
    }
  });

  it.each([
    ['a user without a password', { username: 'user01', password: undefined }, '/password: is missing'],
    ['a password without a user', { username: undefined }, '/username: is missing'],
    ['a file that the package lacks', { certificate_path: 'Files/other.crt' }, '/certificate_path: the package has no file'],
    ['a port that is none', { server: 'registry.example.com:70000' }, '/server: registry.example.com:70000: a port'],
    ['a server twice', { server: '192.168.0.10:5000' }, '/server: 192.168.0.10:5000 is named twice'],
    [
      'an address that is none',
      { hosts_string: '192.168.0.300 registry.example.com' },
      '/hosts_string: 192.168.0.300 is no IPv4',
    ],
  ])('are refused for %s, at its path', (_, more, fault) => {
    expect(faults([REGISTRIES[0]!, { ...REGISTRIES[1]!, ...more } as JsonObject])).toEqual([
      expect.stringContaining(`${FIELD}/1${fault}`),
    ]);
  });

  it('may be several projects of one host, each with its login; what is the host’s own is the same for all', () => {
    const of = (more: JsonObject) => [REGISTRIES[1]!, { ...REGISTRIES[1]!, server: 'registry.example.com/team-a', ...more }];
    expect(faults(of({ username: 'another' }))).toEqual([]);
    expect(faults(of({ connection_type: '0', certificate_path: 'Files/registries/ca.crt' }))).toEqual([
      expect.stringContaining(`${FIELD}/1/connection_type: is another than that of registry.example.com`),
    ]);
    expect(faults(of({ username: undefined as never, password: undefined as never }))).toEqual([
      expect.stringContaining(
        `${FIELD}/1/server: registry.example.com/team-a is a project of registry.example.com, and only a login`,
      ),
    ]);
  });

  it.each([
    ['is a private key', { firstLine: '-----BEGIN PRIVATE KEY-----' }],
    ['is no text', { firstLine: '' }],
    ['is too large', { size: 2_000_000 }],
  ])('are refused with a certificate file that %s', (_, more) => {
    expect(faults(REGISTRIES, { files: [script(), { ...CA, ...more }] })).toEqual([
      expect.stringContaining(`${FIELD}/1/certificate_path: `),
    ]);
  });

  it('are taken with a warning where a certificate would say nothing, or a line of /etc/hosts names another', () => {
    const { warnings, invalidParams } = checked([
      { connection_type: 0, server: 'a.example.com', certificate_path: CA.path, hosts_string: '10.0.0.9 b.example.com' },
    ]);
    expect(invalidParams).toEqual([]);
    expect(warnings.join()).toContain('certificate_path of a.example.com is passed over');
    expect(warnings.join()).toContain('names b.example.com, and not a.example.com');
  });
});

/** Who was told of registries, by a plan that has run. */
const told = ({ offered }: ReturnType<typeof bench>): string[] =>
  offered.inputsOf('connect-registries').map(({ machine }) => ((machine as JsonObject).vnfc as JsonObject).id as string);

const clusterWith = (options: BenchOptions = {}) => {
  const params = withRegistries(REGISTRIES);
  return bench({ params, ...options, hook: { files: [script(), CA], ...options.hook } });
};

/** A cluster that stands. */
async function standing(): Promise<FakeCluster> {
  const made = clusterWith();
  await made.runner.run();
  return made.world;
}

describe('the nodes of a cluster with private registries', () => {
  it('are all told of them, with what the request says, secrets by reference alone', async () => {
    const made = clusterWith();
    expect(JSON.stringify(made.plan)).not.toContain('user01-password');
    await made.runner.run();
    expect(told(made).sort()).toEqual(['master-1', 'worker-1', 'worker-2']);
    expect(made.offered.inputsOf('connect-registries')[0]!.registries).toEqual([
      { server: '192.168.0.10:5000', scheme: 'http' },
      {
        server: 'registry.example.com',
        scheme: 'https',
        username: 'user01',
        password: 'user01-password',
        certificate: { vnfPkgId: hookContext({}, 0).vnfPkgId, path: CA.path, size: CA.size, sha256: CA.sha256 },
        hosts: { address: '192.168.0.20', names: ['registry.example.com'] },
      },
    ]);
  });

  it('are told once they can run containers, and before they are part of the cluster', () => {
    const { runner } = clusterWith();
    const step = (id: string) => runner.steps.find((each) => each.id === id)!;
    expect(step('connect-registries:worker31').deps).toEqual(['install-runtime:worker31']);
    expect(step('install-kubernetes:worker31').deps).toEqual(['connect-registries:worker31']);
  });

  it('are told of nothing where the request names none', () => {
    const { runner } = bench({ params: withRegistries([]) });
    expect(runner.steps.filter(({ action }) => action === 'connect-registries')).toEqual([]);
  });

  it('that come by scaling out, and those that stay, are told of what that request gives: a password that has changed', async () => {
    const own = {
      private_registry_connection_info: [{ ...REGISTRIES[1]!, password: 'the-new-one', server: 'registry.example.com/team' }],
    };
    const requestParams = { [PARAMS]: own };
    const made = clusterWith({ world: await standing(), requestParams, hook: scaled('scale_end') });
    expect(JSON.stringify(made.plan)).not.toContain('the-new-one');
    await made.runner.run();
    expect(told(made).sort()).toEqual(['master-1', 'worker-1', 'worker-2']);
    for (const { registries } of made.offered.inputsOf('connect-registries'))
      expect(registries).toMatchObject([{ server: 'registry.example.com', project: 'team', password: 'the-new-one' }]);
  });

  it('that stay are told of what a heal gives, before what is healed comes', () => {
    const requestParams = { [PARAMS]: { private_registry_connection_info: [REGISTRIES[0]!] } };
    const { runner } = clusterWith({ requestParams, hook: healed('heal_end', ['worker-1']) });
    const steps = runner.steps.filter(({ action }) => action === 'connect-registries').map(({ id }) => id);
    expect(steps).toHaveLength(hookContext({}, 2).vnfcs.length);
  });

  it('are held against the same rules where a scaling or a heal gives them, and the operation says how long they count', () => {
    const { driver } = k8sParts(defaultSettings);
    for (const operation of ['SCALE', 'SCALE_TO_LEVEL', 'HEAL'] as const) {
      const asked = (registry: JsonObject) =>
        driver.validate(
          validateRequest(withRegistries([]), {
            operation,
            files: [script(), CA],
            instantiateParams: withRegistries([]),
            requestParams: { [PARAMS]: { private_registry_connection_info: [registry] } },
          }),
        );
      expect(asked(REGISTRIES[1]!)).toMatchObject({ invalidParams: [] });
      expect(asked(REGISTRIES[1]!).warnings.join()).toContain('counts for this operation');
      expect(asked({ ...REGISTRIES[1]!, certificate_path: 'Files/none.crt' }).invalidParams).toMatchObject([
        { path: `${FIELD}/0/certificate_path` },
      ]);
    }
  });

  it('that come by scaling out are told, and those that were there are not touched, where it gives none', async () => {
    const made = clusterWith({ world: await standing(), requestParams: {}, hook: scaled('scale_end') });
    await made.runner.run();
    expect(told(made)).toEqual(['worker-2']);
  });

  it('are told of nothing where they leave', () => {
    const { runner } = clusterWith({ requestParams: {}, hook: scaled('scale_start') });
    expect(runner.steps.filter(({ action }) => action === 'connect-registries')).toEqual([]);
  });

  it('that come in the place of a worker are told, and no others', () => {
    const { runner } = clusterWith({ requestParams: {}, hook: healed('heal_end', ['worker-1']) });
    const steps = runner.steps.filter(({ action }) => action === 'connect-registries');
    expect(steps.map(({ id }) => id)).toEqual(['connect-registries:10.10.0.31']);
  });

  it('that come in the place of a master are told, and no others', () => {
    const vnfcs = [1, 2, 3].map((n) => vnfc('master', n, `10.10.0.2${n + 3}`));
    const sharedCps = [{ name: 'vip_CP', resourceId: 'port-vip', addresses: ['10.10.0.50'], floatingIp: null }];
    const params = withRegistries(REGISTRIES);
    const { master_node: master } = params[PARAMS] as Record<string, JsonObject>;
    Object.assign(master!, { cluster_cp_name: 'vip_CP' });
    const { runner } = bench({
      params,
      requestParams: {},
      hook: {
        files: [script(), CA],
        ...healed('heal_end', ['master-2']),
        vnfcs: [...vnfcs, vnfc('worker', 1, '10.10.0.31')],
        sharedCps,
      },
    });
    const steps = runner.steps.filter(({ action }) => action === 'connect-registries');
    expect(steps.map(({ id }) => id)).toEqual(['connect-registries:10.10.0.25']);
  });

  it('that are healed as a whole are told anew', async () => {
    const made = clusterWith({ requestParams: {}, hook: healed('heal_end', [], { whole: true }) });
    await made.runner.run();
    expect(told(made).sort()).toEqual(['master-1', 'worker-1', 'worker-2']);
  });

  it('of a packaged script are told once it has run, which brings what runs containers', () => {
    const world = new FakeCluster();
    const cluster = { private_registry_connection_info: REGISTRIES };
    const made = packagedBench(world, { files: [script('#!/bin/bash'), CA] }, { cluster });
    const deps = (id: string) => made.runner.steps.find((each) => each.id === id)!.deps;
    for (const node of ['master24', 'worker31', 'worker32'])
      expect(deps(`connect-registries:${node}`)).toEqual([`run-install-script:${node}`]);
    world.scriptOutput = joins(world);
    const came = packagedBench(world, { files: [script('#!/bin/bash'), CA], ...scaled('scale_end') }, { cluster });
    const steps = came.runner.steps.filter(({ action }) => action === 'connect-registries');
    expect(steps.map(({ id }) => id)).toEqual(['connect-registries:10.10.0.32']);
  });

  it('reach a registry without a proxy by its own address, or whose name only their /etc/hosts has', () => {
    const params = withRegistries(REGISTRIES, { proxy: { http_proxy: 'http://proxy:3128' } });
    const { plan } = clusterWith({ params });
    expect(JSON.stringify(plan.common)).toMatch(/"noProxy":"[^"]*,192\.168\.0\.10,registry\.example\.com,192\.168\.0\.20,/);
  });
});
