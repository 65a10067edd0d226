import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { noNeeds } from '@windlass/openstack';
import { testServer, type TestServer } from '@windlass/outbound/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubernetesApi, type KubernetesApi } from '../enrolment/support/kubernetes-api.js';
import { openStackVim } from '../support/openstack-vim.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

const PAGE = 'what only this machine may read';

/** Something of ours that a tenant has no business with. */
let inside: TestServer;
let system: System;
beforeAll(async () => {
  inside = await testServer((_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end(PAGE));
});
afterAll(() => inside.close());

const openStackAt = (url: string): JsonObject =>
  openStackVim(`vim-${randomUUID()}`, { url, tenant: { user: 'u', password: 'sent to nobody', project: 'p' } });

const register = async (vim: JsonObject) => system.api.post<JsonObject>('/v1.0/vims', { vim });

/** The answer to an instantiation on a VIM that its request describes. */
async function askedOn(endpoint: string, more: JsonObject = {}) {
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  const vnf = await createVnf(system.api, vnfdId);
  const { user, project, password } = system.emulator.tenant;
  const connection = {
    id: 'c',
    vimType: 'openstack',
    interfaceInfo: { endpoint },
    accessInfo: { username: user, password, project, userDomain: 'Default', projectDomain: 'Default' },
    ...more,
  };
  const body = { ...(await sampleRequest('instantiate-simple-vm.json', 'net0')), vimConnectionInfo: [connection] };
  return system.api.post<JsonObject>(`${vnf}/instantiate`, body);
}

/** How it ends. */
const instantiatedOn = async (endpoint: string, more: JsonObject = {}): Promise<JsonObject> =>
  atRest(system.api, await askedOn(endpoint, more));

describe('a VIM at an address that nobody allowed', () => {
  let cluster: KubernetesApi;

  beforeAll(async () => {
    [system, cluster] = await Promise.all([startSystem({ vimRules: () => ({}) }), startKubernetesApi()]);
  });
  afterAll(async () => {
    await cluster.close();
    await system.close();
  });

  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '127.1', '0.0.0.0', '2130706433'])(
    'is not registered, and nothing is sent to it: an OpenStack at %s',
    async (host) => {
      const { status, data } = await register(openStackAt(`http://${host}:${inside.port}`));
      expect(status).toBe(400);
      expect(JSON.stringify(data)).toContain('VIM_ALLOW');
      expect(JSON.stringify(data)).not.toContain(PAGE);
      expect(inside.seen).toEqual([]);
    },
  );

  it('is not registered, and nothing is sent to it: a cluster', async () => {
    const auth_cred = { bearer_token: cluster.token, ssl_ca_cert: cluster.ca };
    const { status, data } = await register({ name: 'cluster', type: 'kubernetes', auth_url: cluster.url, auth_cred });
    expect(status).toBe(400);
    expect(JSON.stringify(data)).toContain('VIM_ALLOW');
    expect(cluster.turnedAway()).toBe(0);
  });

  it('is asked for nothing by an operation either', async () => {
    const { status, data } = await askedOn(inside.url);
    expect(status).toBe(400);
    expect(data).toMatchObject({
      detail: expect.stringContaining('VIM_ALLOW') as string,
      invalidParams: [{ path: '/vimConnectionInfo/0/interfaceInfo/endpoint' }],
    });
    expect(inside.seen).toEqual([]);
  });
});

describe('what the catalog of a VIM names', () => {
  beforeAll(async () => {
    system = await startSystem({
      emulator: { reachedBy: () => Promise.resolve(inside.url) },
      vimRules: ({ port }) => ({ allow: [`127.0.0.1:${port}`] }),
    });
  });
  afterAll(() => system.close());

  it('is held to the same rules, by an operation and by a look at the VIM', async () => {
    const { port, url } = system.emulator;
    const keystone = `http://127.0.0.1:${port}${new URL(url).pathname}`;
    const ended = await instantiatedOn(keystone);
    expect(ended).toMatchObject({
      operationState: 'FAILED_TEMP',
      error: { detail: expect.stringContaining('VIM_ALLOW') as string },
    });
    const { data } = await register({
      ...openStackAt(keystone),
      vim_project: { name: system.emulator.tenant.project, project_domain_name: 'Default' },
      auth_cred: {
        username: system.emulator.tenant.user,
        password: system.emulator.tenant.password,
        user_domain_name: 'Default',
        cert_verify: 'True',
      },
    });
    const { id } = data.vim as { id: string };
    const looked = await system.api.post<JsonObject>(`/windlass/v1/vims/${id}/check`, noNeeds());
    expect(JSON.stringify(looked.data)).toContain('VIM_ALLOW');
    expect(inside.seen).toEqual([]);
  });
});

describe('a VIM whose answers are no OpenStack’s', () => {
  beforeAll(async () => {
    system = await startSystem();
    await registerVim(system);
  });
  afterAll(() => system.close());

  it('has none of its words told', async () => {
    const { status, data } = await register(openStackAt(inside.url));
    expect(status).toBe(400);
    expect(data).toMatchObject({ TackerError: { message: expect.stringContaining('404') as string } });
    expect(JSON.stringify(data)).not.toContain(PAGE);
    const asked = await askedOn(inside.url);
    expect(asked.status).toBe(400);
    expect(JSON.stringify(asked.data)).not.toContain(PAGE);
    expect(inside.seen.length).toBeGreaterThan(1);
  });
});
