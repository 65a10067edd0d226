import { crashSuite } from '@windlass/driver-kit/testing';
import { masked, type JsonObject } from '@windlass/foundation';
import { secretParameters, type Vnfc } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { registryParts } from '../service.js';
import { PARAM } from './parameters.js';
import { accessLabel, CERTIFICATE, HTPASSWD, KEY } from './scripts.js';
import {
  bench,
  flavour,
  healOf,
  LOGIN,
  paramsOf,
  REGISTRY,
  requestOf,
  USERS_PASSWORD,
  type RegistryBenchOptions,
} from './testing/bench.js';
import { EXPIRED, tlsPair } from './testing/tls.js';

const { tls_certificate, tls_key, othersKey } = tlsPair();
const TLS = { tls_certificate, tls_key };
const closed = paramsOf({ ...LOGIN, ...TLS });
const { driver } = registryParts;
const places = secretParameters(driver.describe());

const run = async (options: RegistryBenchOptions) => {
  const made = bench(options);
  await made.runner.run();
  return made;
};
const usersFile = (password: string): string => `puller\n${password}\n`;

crashSuite('an installation with login and certificate', {
  bench: (points) => bench({ params: closed, ...points }),
  stands: ({ vm, runner }) => {
    expect(runner.steps[0]?.id).toBe(`secure-registry:${REGISTRY.id}`);
    expect(vm.files.get(HTPASSWD)).toBe(usersFile(USERS_PASSWORD));
    expect([vm.files.get(CERTIFICATE), vm.files.get(KEY)]).toEqual([tls_certificate, tls_key]);
    expect(vm.container).toMatch(/^true always 10\.0\.0\.5 5000 login=yes,certificate=[0-9a-f]{64} registry:/);
  },
});

describe('a registry that is closed', () => {
  it('by the program itself reads the same files, and listens at the same address', async () => {
    const { vm } = await run({ params: closed, runsContainers: false });
    const config = vm.files.get('/etc/docker/registry/private_registry.yml');
    expect(config).toContain(`path: ${HTPASSWD}\nhttp:\n  addr: "10.0.0.5:5000"\n`);
    expect(config).toContain(`  tls:\n    certificate: ${CERTIFICATE}\n    key: ${KEY}\n  headers:`);
  });

  it('finds every step done when it is asked again, and no longer when password or certificate change', async () => {
    const { runner } = await run({ params: closed });
    const check = (id: string, input: JsonObject, epoch: number) =>
      runner.action(id).check?.(runner.runOf(id, { epoch, attemptEpoch: epoch, input }));
    for (const { id } of runner.steps.slice(0, 4)) expect(await check(id, runner.runOf(id).input, 2), id).not.toBe(false);
    const [secure = '', , , registry = ''] = runner.steps.map(({ id }) => id);
    const { input } = runner.runOf(secure);
    for (const other of [{ login: { username: 'puller', password: 'another' } }, { tls: { certificate: EXPIRED, key: tls_key } }])
      expect(await check(secure, { ...input, ...other }, 3)).toBe(false);
    const served = { ...runner.runOf(registry).input, serves: { access: { login: true, certificate: 'of another' } } };
    expect(await check(registry, served, 4)).toBe(false);
  });

  it('is not made with a key of another certificate: nothing is done on the VM', async () => {
    const made = bench({ params: paramsOf({ tls_certificate, tls_key: othersKey }) });
    const words =
      'tls_key does not fit tls_certificate: it is the key of another certificate. Nothing was changed on vm-registry';
    await expect(made.runner.run()).rejects.toThrow(words);
    expect(made.hosts.processes).toEqual([]);
  });

  it('shows neither password nor key, in plan, progress, outputs, commands or looks', async () => {
    for (const runsContainers of [true, false]) {
      const { runner, plan, lines, hosts, vm } = await run({ params: closed, runsContainers });
      const seen = JSON.stringify([plan, lines, [...runner.outputs], hosts.processes, hosts.looks, vm.container, vm.program]);
      const [, line = ''] = tls_key.split('\n');
      for (const secret of [USERS_PASSWORD, Buffer.from(`puller:${USERS_PASSWORD}`).toString('base64'), line])
        expect(seen).not.toContain(secret);
    }
  });
});

describe('a heal of a closed registry', () => {
  const healed = { hook: 'heal_end', heal: healOf() } as const;

  it('keeps login and certificate', async () => {
    const { vm } = await run({ params: closed, requestParams: {}, hook: healed });
    expect(vm.files.get(HTPASSWD)).toBe(usersFile(USERS_PASSWORD));
    expect(vm.files.get(KEY)).toBe(tls_key);
    expect(vm.container).toContain('login=yes,certificate=');
  });

  it('takes those of its own request in their place, each pair by itself', async () => {
    const own = { [PARAM]: { ...LOGIN, registry_password: 'another one' } };
    const { vm } = await run({ params: closed, requestParams: own, hook: healed });
    expect(vm.files.get(HTPASSWD)).toBe(usersFile('another one'));
    expect(vm.files.get(KEY)).toBe(tls_key);
    const other = tlsPair();
    const renewed = { [PARAM]: { tls_certificate: other.tls_certificate, tls_key: other.tls_key } };
    const { vm: second } = await run({ params: closed, requestParams: renewed, hook: healed });
    expect(second.files.get(HTPASSWD)).toBe(usersFile(USERS_PASSWORD));
    expect([second.files.get(CERTIFICATE), second.files.get(KEY)]).toEqual([other.tls_certificate, other.tls_key]);
  });

  it('that gives none, where the instantiation gave none either, leaves none of those that an earlier heal gave', async () => {
    const { vm, runner } = bench({ params: paramsOf(), requestParams: {}, hook: healed });
    for (const path of [HTPASSWD, CERTIFICATE, KEY]) vm.files.set(path, 'of an earlier heal');
    await runner.run();
    expect([HTPASSWD, CERTIFICATE, KEY].filter((path) => vm.files.has(path))).toEqual([]);
    expect(vm.container).toContain(' login=no,certificate=none ');
  });

  const asked = (instantiateParams: JsonObject, requestParams: JsonObject) =>
    driver.validate(
      requestOf({
        operation: 'HEAL',
        requestParams: masked(requestParams, places),
        instantiateParams: masked(instantiateParams, places),
        instance: { vnfcs: [REGISTRY], sharedCps: [], affectedVnfcs: [], heal: healOf() },
      }),
    );

  it('says that what it gives is its own, and that a certificate has expired meanwhile', () => {
    expect(asked(closed, { [PARAM]: LOGIN }).warnings).toContainEqual(expect.stringContaining('count until the next heal'));
    const old = paramsOf({ tls_certificate: EXPIRED, tls_key });
    expect(asked(old, {}).warnings).toContainEqual(expect.stringContaining('has expired at 2020-01-02T00:00:00.000Z'));
    expect(asked(old, { [PARAM]: TLS }).warnings).not.toContainEqual(expect.stringContaining('has expired'));
  });

  it.each<[string, JsonObject]>([
    ['/registry_password', { registry_username: 'puller' }],
    ['/tls_key', { tls_certificate }],
    ['/tls_certificate', { tls_certificate: EXPIRED, tls_key }],
  ])('is refused at %s where that is wrong', (path, own) => {
    expect(asked(closed, { [PARAM]: own }).invalidParams).toMatchObject([{ path: `/additionalParams/${PARAM}${path}` }]);
  });
});

describe('whom a registry lets in', () => {
  const warningsOf = (more: JsonObject, cps = flavour.cps): string[] =>
    driver.validate(requestOf({ requestParams: masked(paramsOf(more), places), flavour: { ...flavour, cps } })).warnings;

  it.each<[string, JsonObject, RegExp]>([
    ['everybody, in the clear', {}, /^the registry speaks plain HTTP without a login: .*pulls and pushes/],
    ['everybody, by TLS', TLS, /^the registry has no login: /],
    ['its users, in the clear', LOGIN, /^the registry speaks plain HTTP: .*reads the password/],
  ])('is told with the 202 where it is %s', (_, more, said) => {
    expect(warningsOf(more)).toEqual([expect.stringMatching(said)]);
  });

  it('is told no more where it has both', () => expect(warningsOf({ ...LOGIN, ...TLS })).toEqual([]));

  it('is told where its VM has more than one CP, and none of them is named', () => {
    const cps = [...flavour.cps, { id: 'CP2', vdu: 'PrivateRegistryVDU' }];
    const both = { ...LOGIN, ...TLS };
    expect(warningsOf(both, cps)).toEqual([expect.stringMatching(/^the registry listens at the addresses of all of CP1, CP2: /)]);
    expect(warningsOf({ ...both, registry_cp_name: 'CP2' }, cps)).toEqual([]);
  });
});

describe('where a registry listens', () => {
  const cp = (cpdId: string, ...addresses: string[]): Vnfc['cps'][number] => ({
    cpdId,
    resourceId: `port-${cpdId}`,
    mac: null,
    addresses,
    floatingIp: '192.0.2.9',
  });
  const placed = async (cps: Vnfc['cps'], more: JsonObject = {}) => {
    const { vm, runner } = await run({ params: paramsOf(more), hook: { vnfcs: [{ ...REGISTRY, cps }] } });
    return { container: vm.container, notes: runner.outputs.get(`run-registry:${REGISTRY.id}`) };
  };
  const label = accessLabel({ login: false });

  it('is the only address of the VM, not the floating IP that leads to it', async () => {
    const { container, notes } = await placed([cp('CP1', '10.0.0.5')]);
    expect(container).toContain(`true always 10.0.0.5 5000 ${label} `);
    expect(notes).toEqual({});
  });

  it('is the address of the CP that is named, in brackets where that is IPv6', async () => {
    const cps = [cp('CP1', '10.0.0.5'), cp('CP2', 'fd00::5')];
    expect((await placed(cps, { registry_cp_name: 'CP2' })).container).toContain(`true always [fd00::5] 5000 ${label} `);
  });

  it('is everywhere where the VM has more addresses and no CP is named, and the operation says so', async () => {
    const { container, notes } = await placed([cp('CP1', '10.0.0.5'), cp('CP2', '10.1.0.5')]);
    expect(container).toContain(`true always  5000 ${label} `);
    expect(notes).toEqual({ notes: [expect.stringMatching(/^the registry listens at all addresses of vm-registry: /)] });
  });

  it('is nowhere where the CP that is named has no address', async () => {
    const cps = [cp('CP1', '10.0.0.5'), cp('CP2')];
    await expect(placed(cps, { registry_cp_name: 'CP2' })).rejects.toThrow(
      'the CP CP2 of vm-registry has no address to listen at',
    );
  });
});
