import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { scalingPackage, scalingRequest } from '../support/scaling-package.js';
import { atRest, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { vnfView, type VnfView } from '../support/vnf-view.js';

/**
 * Every secret that Windlass keeps and a client can change the address of, with each field that says where it goes. A callback's credentials, a
 * package's and a token endpoint's are given with their address in one request, which nobody changes; the NFVO's stand in its service's settings.
 * The logins that an Ansible server is told: apps/k8s-mgmt/src/kubespray/check-request.spec.ts.
 */
let system: System;
let cluster: KubernetesApi;
let vnf: VnfView;
let openStackId: string;
let clusterId: string;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), startKubernetesApi()]);
  openStackId = await registerVim(system);
  const credentials = { bearer_token: cluster.token, ssl_ca_cert: cluster.ca };
  const vim = { name: 'cluster', type: 'kubernetes', auth_url: cluster.url, auth_cred: credentials };
  clusterId = (await system.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim })).data.vim.id;
  const vnfdId = randomUUID();
  await onboardZip(system.api, scalingPackage(vnfdId));
  const { user, password, project } = system.emulator.tenant;
  const accessInfo = { username: user, password, project, region: 'RegionOne' };
  const interfaceInfo = { endpoint: system.emulator.url };
  const vimConnectionInfo = [{ id: 'mine', vimType: 'openstack', interfaceInfo, accessInfo }];
  vnf = await vnfView(system, vnfdId, { ...scalingRequest('net0'), vimConnectionInfo });
});
afterAll(async () => {
  await vnf.remove();
  await cluster.close();
  await system.close();
});

const merge = { headers: { 'Content-Type': 'application/merge-patch+json' } };
const patch = (connection: JsonObject) =>
  system.api.patch<JsonObject>(vnf.url, { vimConnectionInfo: [{ id: 'mine', ...connection }] }, merge);
const ELSEWHERE = 'http://192.0.2.1:5000/v3';

describe('a VIM’s password that only a request gave', () => {
  const places: [string, JsonObject][] = [
    ['endpoint', { interfaceInfo: { endpoint: ELSEWHERE } }],
    ['endpoint taken away, and another authUrl', { interfaceInfo: { endpoint: null }, accessInfo: { authUrl: ELSEWHERE } }],
    ['all of interfaceInfo taken away', { interfaceInfo: null, accessInfo: { authUrl: ELSEWHERE } }],
    ['trustedCertificates', { interfaceInfo: { trustedCertificates: '-----BEGIN CERTIFICATE-----' } }],
    ['skipCertificateVerification', { interfaceInfo: { skipCertificateVerification: true } }],
    ['skipCertificateHostnameCheck', { interfaceInfo: { skipCertificateHostnameCheck: true } }],
  ];

  it.each(places)('is asked for anew by PATCH with %s, also where it comes back masked', async (_field, change) => {
    const masked = { ...change, accessInfo: { ...(change.accessInfo as JsonObject | undefined), password: '***' } };
    for (const asked of [change, masked]) {
      const { status, data } = await patch(asked);
      expect(status, JSON.stringify(data)).toBe(400);
      expect(data).toMatchObject({
        code: 'secret.elsewhere',
        invalidParams: [{ path: '/vimConnectionInfo/0/accessInfo/password' }],
      });
    }
  });

  it('is asked for anew by CHANGE_EXT_CONN, and in v2 at the path of its map', async () => {
    const { extVirtualLinks } = scalingRequest('net0');
    const connection = { vimType: 'openstack', interfaceInfo: { endpoint: ELSEWHERE }, accessInfo: { password: '***' } };
    const moved = await system.api.post<JsonObject>(`${vnf.url}/change_ext_conn`, {
      extVirtualLinks,
      vimConnectionInfo: [{ id: 'mine', ...connection }],
    });
    expect([moved.status, moved.data.code], JSON.stringify(moved.data)).toEqual([400, 'secret.elsewhere']);
    const headers = { ...merge.headers, Version: '2.0.0' };
    const inV2 = await system.api.patch<JsonObject>(
      vnf.url.replace('/v1/', '/v2/'),
      { vimConnectionInfo: { mine: { interfaceInfo: { endpoint: ELSEWHERE } } } },
      { headers },
    );
    expect(inV2.data).toMatchObject({ status: 400, invalidParams: [{ path: '/vimConnectionInfo/mine/accessInfo/password' }] });
  });

  it('goes where it is given for: with it the address may change, and back', async () => {
    const { password } = system.emulator.tenant;
    for (const endpoint of [`${system.emulator.url}/`, system.emulator.url]) {
      const op = await atRest(system.api, await patch({ interfaceInfo: { endpoint }, accessInfo: { password } }));
      expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    }
  });

  it('is not asked for where other members change', async () => {
    const op = await atRest(system.api, await patch({ accessInfo: { userDomain: 'Default' } }));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  });
});

describe('the credentials of a registered VIM', () => {
  const put = (id: string, change: JsonObject) => system.api.put<JsonObject>(`/v1.0/vims/${id}`, { vim: change });
  const ofOpenStack = '/vim/auth_cred/password';
  const ofCluster = '/vim/auth_cred/bearer_token';

  it.each<[string, () => string, JsonObject, string]>([
    ['ca_cert', () => openStackId, { ca_cert: '-----BEGIN CERTIFICATE-----' }, ofOpenStack],
    ['cert_verify', () => openStackId, { cert_verify: 'False' }, ofOpenStack],
    ['cert_verify, the password masked', () => openStackId, { cert_verify: false, password: '***' }, ofOpenStack],
    ['ssl_ca_cert', () => clusterId, { ssl_ca_cert: '-----BEGIN CERTIFICATE-----' }, ofCluster],
    ['oidc_token_url', () => clusterId, { oidc_token_url: 'https://192.0.2.1/token' }, ofCluster],
  ])('are asked for anew where %s changes', async (_field, id, authCred, path) => {
    const asked = cluster.asked();
    const { status, data } = await put(id(), { auth_cred: authCred });
    expect(status, JSON.stringify(data)).toBe(400);
    expect(data).toMatchObject({ TackerError: { message: expect.stringContaining(path) as string } });
    expect(cluster.asked()).toBe(asked);
  });

  it('stay with an address that can’t be changed, and are not asked for where what makes it trusted is written otherwise', async () => {
    expect((await put(openStackId, { auth_url: ELSEWHERE })).status).toBe(400);
    expect((await put(openStackId, { auth_cred: { cert_verify: 'True' } })).status).toBe(200);
    expect((await put(openStackId, { auth_cred: { cert_verify: true } })).status).toBe(200);
  });
});
