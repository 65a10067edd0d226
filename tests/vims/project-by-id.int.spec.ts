import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system.close());

describe('an OpenStack whose project is told by its id', () => {
  const registration = (change: JsonObject, credentials: JsonObject = {}): JsonObject => {
    const { url, tenant } = system.emulator;
    return {
      name: `by-id-${Math.random()}`,
      type: 'openstack',
      auth_url: url,
      vim_project: { ...change },
      auth_cred: { username: tenant.user, password: tenant.password, user_domain_name: 'Default', ...credentials },
    };
  };
  const register = (vim: JsonObject) => system.api.post<JsonObject>('/v1.0/vims', { vim });

  it('is registered by that alone, also with its own name beside, and not with another’s', async () => {
    const id = system.emulator.projectId(system.emulator.tenant.project);
    const alone = await register(registration({ id }));
    expect(alone.status).toBe(201);
    expect((await register(registration({ name: system.emulator.tenant.project }, { project_id: id }))).status).toBe(201);
    const other = await register(registration({ id, name: 'another' }));
    expect([other.status, JSON.stringify(other.data)]).toEqual([400, expect.stringContaining('/vim/vim_project/name')]);
    const none = await register(registration({}));
    expect([none.status, JSON.stringify(none.data)]).toEqual([400, expect.stringContaining('/vim/vim_project/name')]);
  });

  it('is registered in a region of its catalog, and in no other', async () => {
    const project = { name: system.emulator.tenant.project };
    expect((await register(registration(project, { region: 'RegionOne' }))).status).toBe(201);
    const { status, data } = await register(registration(project, { region: 'RegionTwo' }));
    expect(status).toBe(400);
    expect(JSON.stringify(data)).toContain('the catalog has no region \\"RegionTwo\\"; it has: RegionOne');
  });

  it('carries a VNF whose request describes it so, and is refused with both', async () => {
    const { api, emulator } = system;
    const { user: username, password, project } = emulator.tenant;
    const { vnfdId } = await onboard(api, 'simple-vm');
    const described = (accessInfo: JsonObject): JsonObject => ({
      vimConnectionInfo: [
        {
          id: 'c',
          vimType: 'openstack',
          interfaceInfo: { endpoint: emulator.url },
          accessInfo: { username, password, region: 'RegionOne', ...accessInfo },
        },
      ],
    });
    const vnf = await createVnf(api, vnfdId);
    const both = await api.post<JsonObject>(`${vnf}/instantiate`, {
      ...(await sampleRequest('instantiate-simple-vm.json', 'net0')),
      ...described({ project, projectId: emulator.projectId(project) }),
    });
    expect([both.status, JSON.stringify(both.data)]).toEqual([400, expect.stringContaining('accessInfo/projectId')]);
    const accepted = await api.post<JsonObject>(`${vnf}/instantiate`, {
      ...(await sampleRequest('instantiate-simple-vm.json', 'net0')),
      ...described({ projectId: emulator.projectId(project) }),
    });
    expect(await atRest(api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
  });
});
