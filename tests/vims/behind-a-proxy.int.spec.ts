import type { JsonObject } from '@windlass/foundation';
import { noNeeds } from '@windlass/openstack';
import { HttpProxyServer } from '@windlass/openstack/testing';
import { HttpProxy } from '@windlass/outbound';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseBody } from '../packages/support/cases.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let proxy: HttpProxyServer;
let system: System;
beforeAll(async () => {
  proxy = await HttpProxyServer.start('windlass:the-proxy-s-own');
  system = await startSystem({
    vimProxy: new HttpProxy(proxy.url()),
    vimRules: () => ({ allow: ['127.0.0.0/8'], only: ['127.0.0.0/8', 'keystone.example.net'] }),
  });
});
afterAll(async () => {
  await system.close();
  await proxy.close();
});

/**
 * What the OpenStack answered and the proxy was not asked for. A look that has begun is in the proxy's record, and in the OpenStack's only
 * once it has its answer.
 */
function askedPastTheProxy(): string[] {
  const passed = proxy.seen.map((line) => line.replace(/ http:\/\/127\.0\.0\.1:\d+/, ' '));
  return system.emulator.requests.flatMap(({ method, path }) => {
    const at = passed.indexOf(`${method} ${path}`);
    if (at < 0) return [`${method} ${path}`];
    passed.splice(at, 1);
    return [];
  });
}

describe('an OpenStack that is reached by a proxy alone', () => {
  it('is registered, looked at, and carries a VNF through its life, and nothing is asked past the proxy', async () => {
    const { api } = system;
    const id = await registerVim(system);
    const looked = await api.post<JsonObject>(`/windlass/v1/vims/${id}/check`, noNeeds());
    expect(looked.status).toBe(200);
    expect(JSON.stringify(looked.data)).not.toContain('unreachable');
    const { vnfdId } = await onboard(api, 'simple-vm');
    const vnf = await createVnf(api, vnfdId);
    const body = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const made = await atRest(api, await api.post<JsonObject>(`${vnf}/instantiate`, body));
    expect(made).toMatchObject({ operationState: 'COMPLETED' });
    const termination = await api.post<JsonObject>(`${vnf}/terminate`, { terminationType: 'FORCEFUL' });
    expect(await atRest(api, termination)).toMatchObject({ operationState: 'COMPLETED' });
    expect(system.emulator.requests.length).toBeGreaterThan(20);
    expect(askedPastTheProxy()).toEqual([]);
    expect(proxy.seen.some((line) => line.startsWith('POST http://127.0.0.1:') && line.endsWith('/auth/tokens'))).toBe(true);
  });

  it('of case 26, as its body stands, is asked by the proxy, which alone knows its name', async () => {
    const { status, data } = await system.api.post<JsonObject>('/v1.0/vims', caseBody('26', 'vim.json'));
    // Nobody is there: the proxy could connect to nothing.
    expect(status).toBe(400);
    expect(JSON.stringify(data)).toContain(
      'https://keystone.example.net:5000/v3/auth/tokens through the proxy http://127.0.0.1:',
    );
    expect(proxy.seen).toContain('CONNECT keystone.example.net:5000');
  });
});
