import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, createVnf, onboardZip, registerVim, startSystem, warningsOf, type System } from '../support/system.js';

/** What of a request has no effect is told where it is answered and where its operation is read; what would make another VNF is refused. */
let system: System;
const vnfdId = randomUUID();

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  await onboardZip(system.api, scalingPackage(vnfdId));
});
afterAll(() => system.close());

type Request = JsonObject & { extVirtualLinks: { extCps: JsonObject[] }[] };

/** With that configuration of the first connection point, and those members of its link. */
function connected(config: JsonObject, more: JsonObject = {}, v2 = false): Request {
  const request = scalingRequest('net0') as unknown as Request;
  const [first, ...others] = request.extVirtualLinks;
  const plain = { cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] };
  const extCps = (link: Request['extVirtualLinks'][number] | undefined, given: JsonObject | undefined) =>
    (link?.extCps ?? []).map((cp, index) => {
      const one = index === 0 && given !== undefined ? given : plain;
      return { ...cp, cpConfig: v2 ? { key: one } : [one] };
    });
  return {
    ...request,
    extVirtualLinks: [
      { ...first, ...more, extCps: extCps(first, config) },
      ...others.map((link) => ({ ...link, extCps: extCps(link, undefined) })),
    ],
  } as Request;
}

const VERSIONS = [
  ['v1', '0'],
  ['v2', 'key'],
] as const;

describe.each(VERSIONS)('a request of %s', (version, key) => {
  const v2 = version === 'v2';
  const asks = v2 ? { headers: { Version: '2.0.0' } } : {};
  const inVersion = (url: string) => url.replace('/v1/', `/${version}/`);
  const CONFIG = `/extVirtualLinks/0/extCps/0/cpConfig/${key}`;
  const vnf = async () => inVersion(await createVnf(system.api, vnfdId));

  it('to instantiate with a prepared port that the templates don’t take is refused at its path, and nothing is made', async () => {
    const url = await vnf();
    const ports = { extLinkPorts: [{ id: 'prepared', resourceHandle: { resourceId: randomUUID() } }] };
    const { status, data } = await system.api.post<JsonObject>(
      `${url}/instantiate`,
      connected({ linkPortId: 'prepared' }, ports, v2),
      asks,
    );
    expect([status, data.invalidParams]).toEqual([
      400,
      [{ path: `${CONFIG}/linkPortId`, reason: expect.stringContaining('templates make the port') as string }],
    ]);
    expect((await system.api.get<JsonObject>(url, asks)).data.instantiationState).toBe('NOT_INSTANTIATED');
  });

  it('with what is of a later standard and decides what is made is refused', async () => {
    const body = { ...connected({}, {}, v2), targetScaleLevelInfo: [{ aspectId: 'pair', scaleLevel: 1 }] };
    const { status, data } = await system.api.post<JsonObject>(`${await vnf()}/instantiate`, body, asks);
    expect([status, data.invalidParams]).toEqual([
      400,
      [{ path: '/targetScaleLevelInfo', reason: expect.stringContaining('instantiationLevelId') as string }],
    ]);
  });

  it('with a misspelt member, a MAC address and unread parameters is carried out, and tells of each', async () => {
    const url = await vnf();
    const ethernet = { layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { macAddress: 'fa:16:3e:00:00:01' } };
    const body = {
      ...connected({ cpProtocolData: [ethernet] }, {}, v2),
      localisationLanguage: 'de',
      additionalParams: { colour: 'red' },
    };
    const accepted = await system.api.post<JsonObject>(`${url}/instantiate`, body, asks);
    expect(accepted.headers['windlass-warning']).toBe(
      '/localisationLanguage is no member of InstantiateVnfRequest and is not used: did you mean localizationLanguage?',
    );
    const done = await atRest(system.api, accepted, undefined, (path) => path.replace('/v2/', '/v1/'));
    expect(done).toMatchObject({ operationState: 'COMPLETED' });
    expect(await warningsOf(system.api, done)).toEqual([
      expect.stringContaining('/localisationLanguage is no member'),
      expect.stringContaining('the MAC address that is given to'),
      expect.stringContaining('/additionalParams/colour is not used'),
    ]);
    const ended = await system.api.post(
      `${url}/terminate`,
      { terminationType: 'GRACEFUL', gracefulTerminationTimeout: 1, wait: true },
      asks,
    );
    expect(ended.headers['windlass-warning']).toContain('/wait is no member of TerminateVnfRequest');
    const gone = await atRest(system.api, ended, undefined, (path) => path.replace('/v2/', '/v1/'));
    expect(gone).toMatchObject({ operationState: 'COMPLETED' });
  });

  it.runIf(v2)('with a VIM that is named and described in full tells which counts', async () => {
    const { user: username, password, project } = system.emulator.tenant;
    const vim = {
      vimId: 'x',
      vimType: 'openstack',
      interfaceInfo: { endpoint: system.emulator.url },
      accessInfo: { username, password, project },
    };
    const body = { ...connected({}, {}, v2), vimConnectionInfo: { own: vim } };
    const plan = await system.api.post<JsonObject>(`/windlass/v1/plans${await vnf()}/instantiate`, body, asks);
    expect([plan.status, plan.data.warnings]).toEqual([
      200,
      [expect.stringContaining('the vimId of the VIM connection "own" is not used')],
    ]);
  });

  it('for an instance, or a subscription, tells in a header that any client can read', async () => {
    const made = await system.api.post<JsonObject>(`/vnflcm/${version}/vnf_instances`, { vnfdId, vnfInstanceNäme: 'x' }, asks);
    expect([made.status, made.headers['windlass-warning']]).toEqual([
      201,
      '/vnfInstanceN\\u{e4}me is no member of CreateVnfRequest and is not used: did you mean vnfInstanceName?',
    ]);
    const plain = await system.api.post<JsonObject>(`/vnflcm/${version}/vnf_instances`, { vnfdId }, asks);
    expect([plain.status, plain.headers['windlass-warning']]).toEqual([201, undefined]);
  });
});
