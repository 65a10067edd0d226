import { millis, seconds, Secret, waitUntil, type JsonObject } from '@windlass/foundation';
import type { SeenRequest } from '@windlass/outbound/testing';
import { rowsOf } from '@windlass/persistence';
import type { ValidateRequest } from '@windlass/mgmt-driver';
import type { GrantRequest } from '@windlass/sol003';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { everything, grantOf, problem, startStandInNfvo, type StandInNfvo } from '../support/standin-nfvo.js';
import { atRest, registerVim, startSystem, warningsOf, type System } from '../support/system.js';
import { startTestDriver, type TestDriver } from '../support/test-driver.js';
import { stackParametersOf, newRequest, newVnf, ZONES_DRIVER } from './granted-scene.js';

const PASSWORD = 'nfvo-password-of-this-test';
const PUBLIC = 'http://vnfm.example/vnfm';

let nfvo: StandInNfvo;
let system: System;
let driver: TestDriver;
const validated: ValidateRequest[] = [];
/** All that was sent to the NFVO, whatever it was. */
const heard: SeenRequest[] = [];

beforeAll(async () => {
  nfvo = await startStandInNfvo({
    knows: (request) => {
      heard.push(request);
      return request.headers.authorization === `Basic ${Buffer.from(`windlass:${PASSWORD}`).toString('base64')}`;
    },
  });
  system = await startSystem({
    nfvo: {
      url: nfvo.url,
      publicUrl: PUBLIC,
      auth: { kind: 'basic', userName: 'windlass', password: new Secret(PASSWORD) },
      grantWithin: seconds(60),
      askAgainEvery: millis(100),
    },
  });
  await registerVim(system);
  driver = await startTestDriver(system, ZONES_DRIVER, {
    hooks: ['scale_end'],
    validate: (request) => {
      validated.push(request);
      return {};
    },
  });
});

afterEach(() => nfvo.decide(everything));

afterAll(async () => {
  await driver.stop();
  await system.close();
  await nfvo.close();
});

const lastAsked = (): GrantRequest => {
  const request = nfvo.asked.at(-1);
  if (request === undefined) throw new Error('the NFVO was not asked');
  return request;
};

const counted = (list: GrantRequest['addResources'] = []): Record<string, number> =>
  list.reduce<Record<string, number>>((counts, { type, resourceTemplateId = '' }) => {
    const key = `${type} ${resourceTemplateId}`;
    return { ...counts, [key]: (counts[key] ?? 0) + 1 };
  }, {});

const instantiate = async (path: string): Promise<JsonObject> =>
  atRest(system.api, await system.api.post(`${path}/instantiate`, newRequest()));

describe('with an NFVO that grants at once', () => {
  it('each operation asks for what it adds and takes away, and shows its grant', async () => {
    const path = await newVnf(system);
    const done = await instantiate(path);
    expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    expect(schemaErrors('VnfLcmOpOcc', done)).toEqual([]);
    const asked = lastAsked();
    expect(asked).toMatchObject({
      vnfInstanceId: path.split('/').at(-1),
      vnfLcmOpOccId: done.id,
      flavourId: 'default',
      operation: 'INSTANTIATE',
      isAutomaticInvocation: false,
      _links: {
        vnfLcmOpOcc: { href: `${PUBLIC}/vnflcm/v1/vnf_lcm_op_occs/${String(done.id)}` },
        vnfInstance: { href: `${PUBLIC}${path}` },
      },
    });
    expect(counted(asked.addResources)).toEqual({
      ...{ 'COMPUTE VDU1': 1, 'LINKPORT VDU1_CP1': 1, 'COMPUTE web': 1, 'LINKPORT web_CP': 1 },
      ...{ 'COMPUTE db': 1, 'LINKPORT db_CP': 1, 'COMPUTE node': 1, 'LINKPORT node_CP': 1 },
    });
    expect(done._links).toMatchObject({ grant: { href: `${nfvo.url}/grant/v1/grants/${String(done.grantId)}` } });

    const scaled = await atRest(system.api, await system.api.post(`${path}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' }));
    expect(scaled, JSON.stringify(scaled)).toMatchObject({ operationState: 'COMPLETED' });
    const out = lastAsked();
    expect(counted(out.addResources)).toEqual({ 'COMPUTE web': 1, 'LINKPORT web_CP': 1, 'COMPUTE db': 2, 'LINKPORT db_CP': 2 });
    const [rule] = out.placementConstraints ?? [];
    expect(rule).toMatchObject({ affinityOrAntiAffinity: 'ANTI_AFFINITY', scope: 'NFVI_NODE' });
    expect(rule?.resource.map(({ idType }) => idType).sort()).toEqual(['GRANT', 'GRANT', 'RES_MGMT']);

    const smaller = await atRest(system.api, await system.api.post(`${path}/scale`, { type: 'SCALE_IN', aspectId: 'pair' }));
    expect(smaller, JSON.stringify(smaller)).toMatchObject({ operationState: 'COMPLETED' });
    expect(counted(lastAsked().removeResources)).toMatchObject({ 'COMPUTE web': 1, 'COMPUTE db': 2 });

    const toLevel = async (body: JsonObject): Promise<GrantRequest> => {
      const done = await atRest(system.api, await system.api.post(`${path}/scale_to_level`, body));
      expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
      return lastAsked();
    };
    expect(counted((await toLevel({ scaleInfo: [{ aspectId: 'worker', scaleLevel: 2 }] })).addResources)).toEqual({
      'COMPUTE node': 2,
      'LINKPORT node_CP': 2,
    });
    const tall = await toLevel({ instantiationLevelId: 'tall' });
    expect(tall).not.toHaveProperty('instantiationLevelId');
    expect(counted(tall.addResources)).toMatchObject({ 'COMPUTE web': 2, 'COMPUTE db': 4 });
    expect(counted(tall.removeResources)).toMatchObject({ 'COMPUTE node': 2 });
    expect(counted((await toLevel({ instantiationLevelId: 'small' })).removeResources)).toMatchObject({
      'COMPUTE web': 2,
      'COMPUTE db': 4,
    });

    const healed = await atRest(system.api, await system.api.post(`${path}/heal`, { additionalParams: { all: false } }));
    expect(healed, JSON.stringify(healed)).toMatchObject({ operationState: 'COMPLETED' });
    const replaced = { 'COMPUTE VDU1': 1, 'COMPUTE web': 1, 'COMPUTE db': 1, 'COMPUTE node': 1 };
    expect(counted(lastAsked().addResources)).toEqual(replaced);
    expect(counted(lastAsked().removeResources)).toEqual(replaced);

    const stopped = await atRest(system.api, await system.api.post(`${path}/operate`, { changeStateTo: 'STOPPED' }));
    expect(stopped, JSON.stringify(stopped)).toMatchObject({ operationState: 'COMPLETED' });
    expect(counted(lastAsked().updateResources)).toEqual(replaced);
    const moved = {
      extVirtualLinks: [
        {
          id: 'other',
          resourceId: 'net1',
          extCps: [{ cpdId: 'VDU1_CP1', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
        },
      ],
    };
    const connected = await atRest(system.api, await system.api.post(`${path}/change_ext_conn`, moved));
    expect(connected, JSON.stringify(connected)).toMatchObject({ operationState: 'COMPLETED' });
    expect(counted(lastAsked().updateResources)).toEqual({ 'LINKPORT VDU1_CP1': 1 });

    const before = nfvo.asked.length;
    await atRest(system.api, await system.api.patch(path, { vnfInstanceName: 'renamed' }));
    expect(nfvo.asked).toHaveLength(before);

    const ended = await atRest(system.api, await system.api.post(`${path}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
    expect(counted(lastAsked().removeResources)).toMatchObject({
      ...{ 'COMPUTE VDU1': 1, 'COMPUTE web': 1, 'COMPUTE db': 1, 'COMPUTE node': 1, 'LINKPORT VDU1_CP1': 1 },
    });
  });

  it('flavours, images, zones, networks and parameters of the grant are what Heat is given, then and when the VNF is scaled', async () => {
    nfvo.decide({
      give: ({ addResources = [] }) => ({
        zones: [{ id: 'z', zoneId: 'nova' }],
        addResources: addResources.map(({ id, vduId, type }) => ({
          resourceDefinitionId: id,
          ...(type === 'COMPUTE' && vduId === 'VDU1' ? { zoneId: 'z' } : {}),
        })),
        vimAssets: {
          computeResourceFlavours: [{ vnfdVirtualComputeDescId: 'web', vimFlavourId: 'm1.small' }],
          softwareImages: [{ vnfdSoftwareImageId: 'web', vimSoftwareImageId: 'image-1.0.0' }],
        },
        additionalParams: { nfv: { VDU: { node: { flavor: 'm1.medium' } } } },
      }),
    });
    const path = await newVnf(system, { zoned: true });
    const done = await instantiate(path);
    expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    const granted = {
      VDU: {
        VDU1: { locationConstraints: 'nova', flavor: 'm1.tiny' },
        web: { flavor: 'm1.small', image: 'image-1.0.0' },
        node: { flavor: 'm1.medium' },
      },
    };
    expect(await stackParametersOf(system, path)).toMatchObject(granted);

    nfvo.decide(everything);
    const scaled = await atRest(system.api, await system.api.post(`${path}/scale`, { type: 'SCALE_OUT', aspectId: 'pair' }));
    expect(scaled, JSON.stringify(scaled)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await stackParametersOf(system, path)).toMatchObject(granted);
    // The driver is told where the grant puts a VNFC, apart from where Nova says that it is.
    for (const vnfcs of [validated.at(-1)?.instance?.vnfcs ?? [], driver.told.at(-1)?.vnfcs ?? []]) {
      expect(vnfcs.find(({ vduId }) => vduId === 'VDU1')).toMatchObject({ grantedZone: 'nova', zone: 'nova' });
      expect(vnfcs.find(({ vduId }) => vduId === 'web')).not.toHaveProperty('grantedZone');
    }

    nfvo.decide({
      give: () => ({ vimAssets: { computeResourceFlavours: [{ vnfdVirtualComputeDescId: 'web', vimFlavourId: 'm1.medium' }] } }),
    });
    const contrary = await atRest(system.api, await system.api.post(`${path}/scale`, { type: 'SCALE_IN', aspectId: 'pair' }));
    expect(contrary).toMatchObject({ operationState: 'ROLLED_BACK', error: { title: 'Grant failed', status: 409 } });
    expect(JSON.stringify(contrary.error)).toContain('flavours m1.medium for web, which has m1.small');
  });

  it('a zone that no template asks for is said not to be used', async () => {
    nfvo.decide({
      give: ({ addResources = [] }) => ({
        zones: [{ id: 'z', zoneId: 'nova' }],
        addResources: addResources.map(({ id, type }) => ({
          resourceDefinitionId: id,
          ...(type === 'COMPUTE' ? { zoneId: 'z' } : {}),
        })),
      }),
    });
    const done = await instantiate(await newVnf(system, { zoned: true }));
    expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    const warnings = (await warningsOf(system.api, done)).filter((each) => each.startsWith('of the grant'));
    expect(warnings).toEqual([
      expect.stringContaining('zones nova for web (no template asks for nfv.VDU.web.locationConstraints)'),
    ]);
    expect(warnings[0]).not.toContain('VDU1');
  });

  it('the VIM of the grant is used, and what it says of its password is sealed and shown to nobody', async () => {
    const { user, password, project } = system.emulator.tenant;
    nfvo.decide({
      give: ({ addResources = [] }) => ({
        vimConnections: [
          {
            id: 'granted-vim',
            vimId: 'what-the-nfvo-calls-it',
            vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
            interfaceInfo: { endpoint: system.emulator.url },
            accessInfo: { username: user, password, project, region: 'RegionOne' },
          },
        ],
        addResources: addResources.map(({ id }) => ({ resourceDefinitionId: id, vimConnectionId: 'granted-vim' })),
        zones: [],
      }),
    });
    const path = await newVnf(system);
    const done = await instantiate(path);
    expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    const { data: shown } = await system.api.get<JsonObject>(path);
    expect(JSON.stringify(shown)).toContain('granted-vim');
    for (const answer of [shown, done]) expect(JSON.stringify(answer)).not.toContain(password);
    const hex = Buffer.from(password).toString('hex');
    for (const table of ['vnf_instance', 'vnf_lcm_op_occ', 'payload', 'step', 'outbox', 'audit_trail']) {
      const rows = await rowsOf(system.database.manager, `SELECT t::text AS row FROM lcm.${table} t`);
      expect(JSON.stringify(rows), table).not.toContain(password);
      expect(JSON.stringify(rows), table).not.toContain(hex);
    }
    // No tenant was ever told it: none has it sent elsewhere.
    const moved = { vimConnectionInfo: [{ id: 'granted-vim', interfaceInfo: { endpoint: 'http://192.0.2.1:5000/v3' } }] };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    expect((await system.api.patch<JsonObject>(path, moved, { headers })).data).toMatchObject({
      status: 400,
      code: 'secret.elsewhere',
    });
    nfvo.decide(everything);
    const ended = await atRest(system.api, await system.api.post(`${path}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
  });
});

describe('what an NFVO is told', () => {
  it('is no secret of a request: neither login nor password of parameters, nor how a VIM is got into', async () => {
    const { user, password, project } = system.emulator.tenant;
    const vim = {
      id: 'own',
      vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3',
      interfaceInfo: { endpoint: system.emulator.url },
      accessInfo: { username: user, password, project, region: 'RegionOne' },
    };
    const login = (of: string) => ({ plain: 'told', ssh_password: `ssh-password-${of}`, nested: [{ api_token: `token-${of}` }] });
    const told = heard.length;
    const path = await newVnf(system);
    const asks: [string, JsonObject][] = [
      ['instantiate', { ...newRequest(), vimConnectionInfo: [vim], additionalParams: login('of-instantiate') }],
      ['scale', { type: 'SCALE_OUT', aspectId: 'pair', additionalParams: login('of-scale') }],
      ['heal', { additionalParams: { ...login('of-heal'), all: false } }],
      ['terminate', { terminationType: 'FORCEFUL', additionalParams: login('of-terminate') }],
    ];
    for (const [operation, body] of asks) {
      const done = await atRest(system.api, await system.api.post(`${path}/${operation}`, body));
      expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
      expect(lastAsked().additionalParams).toMatchObject({ plain: 'told', ssh_password: '***', nested: [{ api_token: '***' }] });
    }
    const words = JSON.stringify(heard.slice(told));
    expect(heard.length - told).toBeGreaterThanOrEqual(asks.length);
    for (const secret of ['ssh-password-', 'token-of', password, system.emulator.url, 'accessInfo'])
      expect(words).not.toContain(secret);
  });
});

describe('with an NFVO that refuses', () => {
  const stacks = () => JSON.stringify(system.emulator.inventory().map((project) => project.stacks));

  it.each([
    [403, 'Forbidden', 'the quota of this customer is used up'],
    [409, 'Conflict', 'another VNF is in its place'],
  ])('a %i ends the operation ROLLED_BACK with its reason, and nothing is made', async (status, title, detail) => {
    const before = stacks();
    nfvo.decide({ answer: (_request, response) => problem(response, status, title, detail) });
    const path = await newVnf(system);
    const op = await instantiate(path);
    expect(op).toMatchObject({ operationState: 'ROLLED_BACK', error: { status, title: 'Grant failed' } });
    expect(op.grantId).toBeUndefined();
    expect(String((op.error as JsonObject).detail)).toContain(`${title}: ${detail}`);
    expect(schemaErrors('VnfLcmOpOcc', op)).toEqual([]);
    expect(stacks()).toBe(before);
    expect((await system.api.delete(path)).status).toBe(204);
  });

  it.each<[string, (request: GrantRequest) => object, string]>([
    [
      'leaves a resource without an answer',
      (request) => ({ addResources: grantOf('', '', request).addResources?.slice(1) }),
      'has no answer for COMPUTE VDU1',
    ],
    ['is for another operation', () => ({ vnfLcmOpOccId: 'another' }), 'for another operation'],
    ['has no id', () => ({ id: '' }), '/id'],
    [
      'names a zone that it does not describe',
      (request) => ({ addResources: request.addResources?.map(({ id }) => ({ resourceDefinitionId: id, zoneId: 'nowhere' })) }),
      'nowhere',
    ],
    [
      'spreads the VNF over two VIMs',
      (request) => ({
        addResources: request.addResources?.map(({ id }, index) => ({
          resourceDefinitionId: id,
          vimConnectionId: `vim-${index % 2}`,
        })),
      }),
      'several VIMs',
    ],
    [
      'names a VIM that nobody knows',
      (request) => ({
        addResources: request.addResources?.map(({ id }) => ({ resourceDefinitionId: id, vimConnectionId: 'vim-x' })),
      }),
      'vim-x',
    ],
  ])('a grant that %s is none', async (_title, wrong, says) => {
    nfvo.decide({ give: wrong as never });
    const op = await instantiate(await newVnf(system));
    expect(op).toMatchObject({ operationState: 'ROLLED_BACK', error: { title: 'Grant failed' } });
    expect(String((op.error as JsonObject).detail)).toContain(says);
  });

  it('an answer that is no JSON is none', async () => {
    nfvo.decide({ answer: (_request, response) => void response.writeHead(201).end('<html>') });
    const op = await instantiate(await newVnf(system));
    expect(op).toMatchObject({ operationState: 'ROLLED_BACK', error: { status: 502, title: 'Grant failed' } });
  });
});

describe('with an NFVO that decides later', () => {
  const accepted = async (path: string) => {
    const answer = await system.api.post(`${path}/instantiate`, newRequest());
    const looked = nfvo.looks();
    await waitUntil(() => Promise.resolve(nfvo.looks() > looked + 1 ? true : undefined), {
      for: 'the coordinator to look for the grant twice',
      within: seconds(60),
      every: millis(20),
    });
    return answer;
  };

  it('the operation waits in STARTING, over a restart of the coordinator, and the NFVO is asked once', async () => {
    nfvo.decide({ later: () => ({}) });
    const asked = nfvo.asked.length;
    const path = await newVnf(system);
    const answer = await accepted(path);
    const { data: waiting } = await system.api.get<JsonObject>(new URL(String(answer.headers.location)).pathname);
    expect(waiting).toMatchObject({ operationState: 'STARTING' });
    await system.replaceCoordinator();
    nfvo.release();
    const done = await atRest(system.api, answer);
    expect(done, JSON.stringify(done)).toMatchObject({ operationState: 'COMPLETED' });
    expect(nfvo.asked).toHaveLength(asked + 1);
  });

  it('a cancel ends the operation ROLLED_BACK at once, without ever PROCESSING', async () => {
    nfvo.decide({ later: () => ({}) });
    const answer = await accepted(await newVnf(system));
    const op = new URL(String(answer.headers.location)).pathname;
    expect((await system.api.post(`${op}/cancel`, { cancelMode: 'GRACEFUL' })).status).toBe(202);
    const done = await atRest(system.api, answer, seconds(30));
    expect(done).toMatchObject({ operationState: 'ROLLED_BACK', error: { title: 'Cancelled' } });
  });
});
