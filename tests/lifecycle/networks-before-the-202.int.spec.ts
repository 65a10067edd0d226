import { randomUUID } from 'node:crypto';
import { mebibytes, seconds, Secret, type JsonObject } from '@windlass/foundation';
import { HOOKS, type KeptRange } from '@windlass/mgmt-driver';
import { OpenStack } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';

const DRIVER = 'mgmt-drivers-keeping';
const PATH = '/additionalParams/pod_cidr';
const vnfdId = randomUUID();
/** VDU1_CP1 takes addresses. */
const addressed = randomUUID();
const withAddresses = (template: string): string =>
  template.replace(
    'properties: { network: { get_param: [ nfv, CP, VDU1_CP1, network ] } }',
    'properties: { network: { get_param: [ nfv, CP, VDU1_CP1, network ] }, fixed_ips: { get_param: [ nfv, CP, VDU1_CP1, fixed_ips ] } }',
  );

let system: System;
let driver: TestDriver;
let vnf: string;

const withHook = (vnfd: string): string =>
  vnfd.replace(
    '\n    VDU1:',
    `\n      interfaces:\n        Vnflcm:\n          instantiate_end: { implementation: ${DRIVER} }\n    VDU1:`,
  );

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  driver = await startTestDriver(system, DRIVER, {
    hooks: [...HOOKS],
    validate: ({ requestParams: { pod_cidr: cidr } }) => {
      const ranges: KeptRange[] = typeof cidr === 'string' ? [{ path: PATH, name: 'pod_cidr', cidr }] : [];
      return { ranges };
    },
  });
  await onboardZip(system.api, scalingPackage(vnfdId, withHook));
  await onboardZip(
    system.api,
    scalingPackage(addressed, (vnfd) => vnfd, withAddresses),
  );
  vnf = await createVnf(system.api, vnfdId);
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

const asked = (body: object, plan = false) =>
  system.api.post<JsonObject>(`${plan ? '/windlass/v1/plans' : ''}${vnf}/instantiate`, body);

/** The plan and the operation: both are told the same. */
const refused = async (body: object) => {
  const [plan, operation] = [await asked(body, true), await asked(body)];
  expect(plan.data).toEqual(operation.data);
  expect([plan.status, operation.status]).toEqual([400, 400]);
  return operation.data;
};

it('a network that the VIM has not is refused at its path, while nothing was made', async () => {
  const { status, ...problem } = (await refused(scalingRequest('no-such-net'))) as { status: number; invalidParams: unknown };
  expect(status).toBe(400);
  expect(problem).toMatchObject({
    code: 'vim.networks',
    invalidParams: [
      { path: '/extVirtualLinks/0/resourceId', reason: expect.stringContaining('no network no-such-net') as string },
    ],
  });
});

it('those that come together ask the VIM once; who is told then that something is not there asks again', async () => {
  const { emulator, api } = system;
  const askedTogether = async (network: string, times: number) => {
    emulator.faults.add({ kind: 'hang', method: 'GET', path: '/networks\\?', forMs: 1_000, times: 1 });
    const before = emulator.requests.length;
    const path = `/windlass/v1/plans${vnf}/instantiate`;
    const answers = await Promise.all(Array.from({ length: times }, () => api.post(path, scalingRequest(network))));
    const since = emulator.requests.slice(before).filter(({ path: asks }) => asks.includes('/networks?'));
    return { answers: [...new Set(answers.map(({ status }) => status))], asked: since.length };
  };
  expect(await askedTogether('net0', 1)).toEqual({ answers: [200], asked: 1 });
  expect(await askedTogether('net0', 4)).toEqual({ answers: [200], asked: 1 });
  // By name, and by id.
  expect(await askedTogether('no-such-net', 1)).toEqual({ answers: [400], asked: 2 });
  expect(await askedTogether('no-such-net', 4)).toEqual({ answers: [400], asked: 8 });
});

it('whoever looks has logged in for the first request, and does not for those that come after', async () => {
  await refused(scalingRequest('no-such-net'));
  const before = system.emulator.requests.length;
  await refused(scalingRequest('no-such-net'));
  const since = system.emulator.requests.slice(before);
  expect(since.filter(({ path }) => path.includes('/networks?')).length).toBeGreaterThan(0);
  expect(since.filter(({ service }) => service === 'keystone')).toEqual([]);
});

it('a subnet that is not on its network is refused at its path, with those that are', async () => {
  const request = scalingRequest('net0') as unknown as { extVirtualLinks: { extCps: { cpConfig?: unknown }[] }[] };
  const [cp] = request.extVirtualLinks[0]!.extCps;
  const ipAddresses = [{ type: 'IPV4', numDynamicAddresses: 1, subnetId: 'elsewhere' }];
  cp!.cpConfig = [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses } }] }];
  expect(await refused(request)).toMatchObject({
    invalidParams: [
      {
        path: '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/subnetId',
        reason: expect.stringMatching(/no subnet elsewhere .* it has .*\d+\.\d+\.\d+\.0\/\d+/) as string,
      },
    ],
  });
});

it('addresses that a driver’s VNF keeps for itself are compared with the subnets, and refused at the field that chose them', async () => {
  const request = { ...scalingRequest('net0'), additionalParams: { pod_cidr: '10.10.0.0/16' } };
  expect(await refused(request)).toMatchObject({
    invalidParams: [{ path: PATH, reason: expect.stringContaining('(10.10.0.0/24) of network net0') as string }],
  });
});

it('a VIM that says nothing keeps no request from being taken: what was not seen is a warning', async () => {
  const outage = system.emulator.faults.add({ kind: 'status', status: 503, path: '/network/', times: 'always' });
  const plan = await asked(scalingRequest('net0'), true);
  system.emulator.faults.remove(outage);
  expect(plan.status, JSON.stringify(plan.data)).toBe(200);
  expect(plan.data.warnings).toEqual([expect.stringContaining('it says nothing: ') as string]);
});

it('a request whose networks are there, beside what the VNF keeps, is taken without a warning', async () => {
  const request = { ...scalingRequest('net0'), additionalParams: { pod_cidr: '172.30.0.0/16' } };
  expect((await asked(request, true)).data.warnings).toEqual([]);
  expect(await atRest(system.api, await asked(request), seconds(60))).toMatchObject({ operationState: 'COMPLETED' });
});

it('an address that a port of the network has already is refused to another VNF at its path', async () => {
  const shown = JSON.stringify((await system.api.get<JsonObject>(vnf)).data);
  const ip = /"10\.10\.0\.\d+"/.exec(shown)?.[0].slice(1, -1) ?? 'none';
  const request = scalingRequest('net0') as unknown as { extVirtualLinks: { extCps: { cpConfig?: unknown }[] }[] };
  const [cp] = request.extVirtualLinks[0]!.extCps;
  const ipAddresses = [{ type: 'IPV4', fixedAddresses: [ip] }];
  cp!.cpConfig = [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses } }] }];
  const path = '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/fixedAddresses/0';
  const reason = expect.stringContaining(`has the address ${ip} of network net0 already`) as string;
  vnf = await createVnf(system.api, addressed);
  expect(await refused(request)).toMatchObject({ invalidParams: [{ path, reason }] });
});

describe('flavors and networks of floating IPs that templates name', () => {
  /** The port of VDU1 has a floating IP of a network that the request names. */
  const floating = randomUUID();
  const withFloatingIp = (template: string): string =>
    template
      .replace('parameters:\n', 'parameters:\n  outside: { type: string }\n')
      .concat('  fip:\n    type: OS::Neutron::FloatingIP\n    properties: { floating_network: { get_param: outside } }\n');
  const onFlavor = (flavor: string) => ({ nfv: { VDU: { web: { flavor } } } });
  beforeAll(async () => {
    const vnfd = (text: string): string => text.replaceAll('min_disk: 0 B', 'min_disk: 0 B, min_ram: 0 B');
    await onboardZip(system.api, scalingPackage(floating, vnfd, withFloatingIp));
    vnf = await createVnf(system.api, floating);
  });

  it('are refused at the field of the request that names what the VIM has not, or no floating IPs of', async () => {
    const ask = (outside: string, more: object = {}) => ({
      ...scalingRequest('net0'),
      additionalParams: { outside, ...more },
    });
    const wrong = [
      [ask('nowhere'), '/additionalParams/outside', 'no network nowhere'],
      [ask('net0'), '/additionalParams/outside', 'net0 is not external'],
      [ask('public', onFlavor('m9.odd')), '/additionalParams/nfv/VDU/web/flavor', 'no flavor m9.odd'],
    ] as const;
    for (const [body, path, reason] of wrong) {
      const invalidParams = [{ path, reason: expect.stringContaining(reason) as string }];
      expect(await refused(body)).toMatchObject({ code: 'vim.resources', invalidParams });
    }
    expect((await asked(ask('public'), true)).data.warnings).toEqual([]);
  });

  it('are a warning where the service that has them says nothing, and networks are looked at all the same', async () => {
    const outage = system.emulator.faults.add({ kind: 'status', status: 503, path: '/flavors', times: 'always' });
    const plan = await asked({ ...scalingRequest('net0'), additionalParams: { outside: 'public' } }, true);
    const lacking = await asked({ ...scalingRequest('no-such-net'), additionalParams: { outside: 'public' } }, true);
    system.emulator.faults.remove(outage);
    expect(plan.data.warnings).toEqual([expect.stringContaining('flavors and images was not seen: ') as string]);
    expect(lacking).toMatchObject({ status: 400, data: { code: 'vim.networks' } });
  });

  it('a flavor below what its image in the VIM asks for is refused', async () => {
    const { url: authUrl, tenant } = system.emulator;
    const credentials = {
      kind: 'password',
      username: tenant.user,
      password: new Secret(tenant.password),
      project: tenant.project,
    } as const;
    const client = OpenStack.open({ authUrl, credentials });
    await client.glance.createImage({ name: 'large', diskFormat: 'raw', minRamMiB: mebibytes(1_024) });
    client.close();
    const nfv = { VDU: { web: { image: 'large' } } };
    const answer = await asked({ ...scalingRequest('net0'), additionalParams: { outside: 'public', nfv } });
    expect(answer).toMatchObject({ status: 409, data: { code: 'vim.resources' } });
    expect(answer.data.detail).toContain('1024 MiB of memory (min_ram), and the flavor m1.tiny has 1 GiB and 512 MiB');
  });
});
