import { randomUUID } from 'node:crypto';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { openStackVim } from '../support/openstack-vim.js';
import { scalingPackage, scalingRequest, scalingRequestV2 } from '../support/scaling-package.js';
import {
  atRest,
  createVnf,
  onboard,
  onboardZip,
  registerVim,
  sampleRequest,
  startSystem,
  type System,
} from '../support/system.js';
import { vnfView } from '../support/vnf-view.js';

let system: System;
let cluster: KubernetesApi;
let clusterId: string;
let openStackId: string;
const vnfdId = randomUUID();

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), startKubernetesApi()]);
  openStackId = await registerVim(system);
  const credentials = { bearer_token: cluster.token, ssl_ca_cert: cluster.ca };
  const vim = { name: 'cluster', type: 'kubernetes', auth_url: cluster.url, auth_cred: credentials };
  const registered = await system.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim });
  clusterId = registered.data.vim.id;
  await onboardZip(system.api, scalingPackage(vnfdId));
});
afterAll(async () => {
  await cluster.close();
  await system.close();
});

/** The answer is 400 with that path, and the cluster was sent nothing but what it was asked with its own token. */
function expectRefused({ status, data }: { status: number; data: JsonObject }, path: string, code: string): void {
  expect(status, JSON.stringify(data)).toBe(400);
  expect(data).toMatchObject({ code, invalidParams: [{ path }] });
  expect(cluster.turnedAway()).toBe(0);
}

describe('a vimConnectionInfo whose vimType is not what its VIM is registered as', () => {
  it('is refused at INSTANTIATE, before anything is sent to a VIM, and nothing keeps the cluster from being removed', async () => {
    const url = await createVnf(system.api, vnfdId);
    const connection = (vimId: string, vimType: string) => ({ vimConnectionInfo: [{ id: 'c', vimId, vimType }] });
    const asked = async (body: JsonObject) =>
      system.api.post<JsonObject>(`${url}/instantiate`, { ...scalingRequest('net0'), ...body });
    expectRefused(await asked(connection(clusterId, 'openstack')), '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    expectRefused(await asked(connection(openStackId, 'kubernetes')), '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    expectRefused(await asked(connection(openStackId, 'vmware')), '/vimConnectionInfo/0/vimType', 'vim.unknown-kind');
    expectRefused(await asked(connection(randomUUID(), 'openstack')), '/vimConnectionInfo/0/vimId', 'vim.unknown');
    // A cluster, rightly told: there is nothing for VMs in it, and the default OpenStack is not taken in its place.
    expectRefused(await asked(connection(clusterId, 'kubernetes')), '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    expect((await system.api.get<JsonObject>(url)).data).toMatchObject({ instantiationState: 'NOT_INSTANTIATED' });
    expect((await system.api.delete(url)).status).toBe(204);
  });

  it('is refused in v2, with the path of the map that its client sent', async () => {
    const made = await system.api.post<{ id: string }>('/vnflcm/v2/vnf_instances', { vnfdId }, { headers: { Version: '2.0.0' } });
    const body = {
      ...scalingRequestV2('net0'),
      vimConnectionInfo: { c: { vimId: clusterId, vimType: 'ETSINFV.OPENSTACK_KEYSTONE.V_3' } },
    };
    const headers = { Version: '2.0.0' };
    const answer = await system.api.post<JsonObject>(`/vnflcm/v2/vnf_instances/${made.data.id}/instantiate`, body, { headers });
    expectRefused(answer, '/vimConnectionInfo/c/vimType', 'vim.other-kind');
    const others = { ...body, vimConnectionInfo: { vim1: { vimId: openStackId, vimType: 'ETSINFV.HELM.V_3' } } };
    const unknown = await system.api.post<JsonObject>(`/vnflcm/v2/vnf_instances/${made.data.id}/instantiate`, others, {
      headers,
    });
    expectRefused(unknown, '/vimConnectionInfo/vim1/vimType', 'vim.unknown-kind');
    expect((await system.api.delete(`/vnflcm/v2/vnf_instances/${made.data.id}`, { headers })).status).toBe(204);
  });

  it('is refused where a VNF is changed: by PATCH and by CHANGE_EXT_CONN', async () => {
    const vnf = await vnfView(system, vnfdId, {
      ...scalingRequest('net0'),
      vimConnectionInfo: [{ id: 'c', vimId: openStackId, vimType: 'openstack' }],
    });
    const patch = async (connection: JsonObject) =>
      system.api.patch<JsonObject>(
        vnf.url,
        { vimConnectionInfo: [connection] },
        { headers: { 'Content-Type': 'application/merge-patch+json' } },
      );
    expectRefused(await patch({ id: 'c', vimId: clusterId }), '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    expectRefused(
      await patch({ id: 'c', vimId: clusterId, vimType: 'kubernetes' }),
      '/vimConnectionInfo/0/vimType',
      'vim.other-kind',
    );
    expectRefused(await patch({ id: 'c', vimId: randomUUID() }), '/vimConnectionInfo/0/vimId', 'vim.unknown');
    expectRefused(await patch({ id: 'c', vimType: 'kubernetes' }), '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    const { extVirtualLinks } = scalingRequest('net0') as JsonObject;
    const moved = await system.api.post<JsonObject>(`${vnf.url}/change_ext_conn`, {
      extVirtualLinks: extVirtualLinks ?? null,
      vimConnectionInfo: [{ id: 'c', vimId: openStackId, vimType: 'kubernetes' }],
    });
    expectRefused(moved, '/vimConnectionInfo/0/vimType', 'vim.other-kind');
    // What a request leaves as it is, is not its matter: a cluster that is registered no more keeps nothing from being changed.
    const both = { vimConnectionInfo: [{ id: 'c' }, { id: 'k', vimId: clusterId, vimType: 'kubernetes' }] };
    const merge = { headers: { 'Content-Type': 'application/merge-patch+json' } };
    await atRest(system.api, await system.api.patch<JsonObject>(vnf.url, both, merge));
    expect((await system.api.delete(`/v1.0/vims/${clusterId}`)).status).toBe(204);
    const left = { vimConnectionInfo: [{ id: 'c', extra: { note: 'new' } }, { id: 'k' }] };
    expect(await atRest(system.api, await system.api.patch<JsonObject>(vnf.url, left, merge))).toMatchObject({
      operationState: 'COMPLETED',
    });
    await vnf.remove();
  });
});

describe('a vimConnectionInfo that says more of a registered VIM than its id', () => {
  /** A VIM beside the default one, registered with what no answer may tell. */
  let vimId: string;
  const secretNote = randomUUID();

  beforeAll(async () => {
    const vim = openStackVim('told-of', system.emulator, { extra: { note: secretNote } });
    vimId = (await system.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim })).data.vim.id;
  });

  const connected = (more: JsonObject) => ({
    ...scalingRequest('net0'),
    vimConnectionInfo: [{ id: 'c', vimId, vimType: 'openstack', ...more }],
  });

  it('is refused with the path of what is not registered so, and told nothing that is secret', async () => {
    const { api, emulator } = system;
    const url = await createVnf(api, vnfdId);
    const wrong: [string, JsonObject][] = [
      ['accessInfo/region', { region: 'Elsewhere' }],
      ['accessInfo/project', { project: 'another' }],
      ['accessInfo/username', { username: 'another' }],
      ['accessInfo/projectDomain', { projectDomain: 'another' }],
      ['accessInfo/project_id', { project_id: randomUUID() }],
      ['accessInfo/password', { password: 'a guess' }],
      // The right one gets the same answer: who guesses learns nothing.
      ['accessInfo/password', { password: emulator.tenant.password }],
    ].map(([path, accessInfo]) => [path as string, { accessInfo } as JsonObject]);
    wrong.push(
      ['interfaceInfo/endpoint', { interfaceInfo: { endpoint: 'http://192.0.2.1:5000/v3' } }],
      ['interfaceInfo/skipCertificateVerification', { interfaceInfo: { skipCertificateVerification: true } }],
      ['extra/note', { extra: { note: secretNote } }],
      ['extra/note', { extra: { note: 'a guess' } }],
    );
    const answers: string[] = [];
    for (const [path, more] of wrong) {
      const answer = await api.post<JsonObject>(`${url}/instantiate`, connected(more));
      expectRefused(answer, `/vimConnectionInfo/0/${path}`, 'vim.other-than-registered');
      answers.push(JSON.stringify(answer.data));
    }
    for (const answer of answers) {
      expect(answer).not.toContain(emulator.tenant.password);
      expect(answer).not.toContain(secretNote);
    }
    expect(new Set(answers.filter((answer) => answer.includes('/password'))).size).toBe(1);
    expect((await api.delete(url)).status).toBe(204);
  });

  it('is taken where it agrees, and held against the same where a VNF is changed', async () => {
    const { tenant, url: endpoint } = system.emulator;
    const agrees = {
      interfaceInfo: { endpoint: `${endpoint}/`, skipCertificateVerification: false },
      accessInfo: { username: tenant.user, project: tenant.project, projectDomain: 'Default', userDomain: 'Default' },
      extra: { rack: 'the VNF’s own note' },
    };
    const vnf = await vnfView(system, vnfdId, connected(agrees));
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const patched = await system.api.patch<JsonObject>(
      vnf.url,
      { vimConnectionInfo: [{ id: 'c', accessInfo: { region: 'Elsewhere' } }] },
      { headers },
    );
    expectRefused(patched, '/vimConnectionInfo/0/accessInfo/region', 'vim.other-than-registered');
    const { extVirtualLinks } = scalingRequest('net0') as JsonObject;
    const moved = await system.api.post<JsonObject>(`${vnf.url}/change_ext_conn`, {
      extVirtualLinks: extVirtualLinks ?? null,
      vimConnectionInfo: [{ id: 'c', vimType: 'openstack', accessInfo: { password: 'a new one' } }],
    });
    expectRefused(moved, '/vimConnectionInfo/0/accessInfo/password', 'vim.other-than-registered');
    await vnf.remove();
  });
});

describe('a VIM that no vimId names', () => {
  it('is refused where it is described by half, for the default one would be taken, or nobody be let in', async () => {
    const url = await createVnf(system.api, vnfdId);
    const { tenant, url: endpoint } = system.emulator;
    const asked = async (described: JsonObject) =>
      system.api.post<JsonObject>(`${url}/instantiate`, {
        ...scalingRequest('net0'),
        vimConnectionInfo: [{ id: 'c', vimType: 'openstack', ...described }],
      });
    const accessInfo = { username: tenant.user, project: tenant.project };
    const lacking: [JsonObject, string][] = [
      [{ interfaceInfo: { endpoint } }, 'accessInfo/username'],
      [{ accessInfo: { region: 'RegionOne' } }, 'interfaceInfo/endpoint'],
      [{ interfaceInfo: { endpoint }, accessInfo }, 'accessInfo/password'],
    ];
    for (const [described, member] of lacking)
      expectRefused(await asked(described), `/vimConnectionInfo/0/${member}`, 'vim.incomplete');
    expect((await system.api.delete(url)).status).toBe(204);
  });
});

describe('a VIM that only the request describes', () => {
  let simpleVnfd: unknown;
  let request: JsonObject;

  beforeAll(async () => {
    ({ vnfdId: simpleVnfd } = await onboard(system.api, 'simple-vm'));
    request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  });

  const described = (endpoint: string, more: JsonObject = {}): JsonObject => {
    const { user: username, password, project } = system.emulator.tenant;
    return { vimType: 'openstack', interfaceInfo: { endpoint }, accessInfo: { username, password, project, ...more } };
  };

  it('is looked at before the 202: a login, a region, an address and networks that it does not have are refused at their fields', async () => {
    const { api, emulator } = system;
    const url = await createVnf(api, simpleVnfd);
    const asked = async (vim: JsonObject, more: JsonObject = {}) =>
      api.post<JsonObject>(`${url}/instantiate`, { ...request, vimConnectionInfo: [{ id: 'mine', ...vim }], ...more });
    const at = (member: string): [string, string] => [`/vimConnectionInfo/0/${member}`, 'vim.description'];
    expectRefused(await asked(described(emulator.url, { password: 'not the password' })), ...at('accessInfo'));
    const elsewhere = await asked(described(emulator.url, { region: 'Elsewhere' }));
    expectRefused(elsewhere, ...at('accessInfo/region'));
    expect(elsewhere.data.detail).toContain('it has: RegionOne');
    expectRefused(await asked(described('http://169.254.169.254/v3')), ...at('interfaceInfo/endpoint'));
    const { extVirtualLinks } = await sampleRequest('instantiate-simple-vm.json', 'no-such-net');
    const lacking = await asked(described(emulator.url), { extVirtualLinks: extVirtualLinks ?? null });
    expectRefused(lacking, '/extVirtualLinks/0/resourceId', 'vim.networks');
    const v2 = { ...scalingRequestV2('net0'), vimConnectionInfo: { mine: described(emulator.url, { region: 'Elsewhere' }) } };
    const headers = { Version: '2.0.0' };
    const made = await api.post<{ id: string }>('/vnflcm/v2/vnf_instances', { vnfdId }, { headers });
    const answer = await api.post<JsonObject>(`/vnflcm/v2/vnf_instances/${made.data.id}/instantiate`, v2, { headers });
    expectRefused(answer, '/vimConnectionInfo/mine/accessInfo/region', 'vim.description');
    await leavesNothing(url);
  });

  /** An operation that found nobody there. */
  async function failed(): Promise<{ url: string; opOcc: string }> {
    const { api } = system;
    const url = await createVnf(api, simpleVnfd);
    const connection = { id: 'mine', ...described('http://127.0.0.1:9/v3') };
    const body = { ...request, vimConnectionInfo: [connection] };
    const op = await atRest(api, await api.post(`${url}/instantiate`, body), minutes(2));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'FAILED_TEMP' });
    return { url, opOcc: `/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}` };
  }

  async function leavesNothing(url: string): Promise<void> {
    expect((await system.api.delete(url)).status).toBe(204);
    expect((await system.api.get('/windlass/v1/clean_ups')).data).toEqual([]);
  }

  it('at whose address nobody is: the operation is taken, rolled back without it, and leaves nothing to clean up', async () => {
    const { api } = system;
    const { url, opOcc } = await failed();
    expect((await api.post(`${opOcc}/rollback`)).status).toBe(202);
    await waitUntil(
      async (seen) => {
        const { operationState, error } = (await api.get<JsonObject>(opOcc)).data;
        seen(`${String(operationState)}: ${JSON.stringify(error)}`);
        return operationState === 'ROLLED_BACK' ? true : undefined;
      },
      { for: 'the operation to be rolled back', within: seconds(60), every: millis(50) },
    );
    await leavesNothing(url);
  });

  it('at whose address nobody is, left as it is: DELETE has nothing to clean up either', async () => {
    const { url, opOcc } = await failed();
    expect((await system.api.post(`${opOcc}/fail`)).status).toBe(200);
    await leavesNothing(url);
  });
});
