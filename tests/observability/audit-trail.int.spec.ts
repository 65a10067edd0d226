import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import type { AxiosInstance } from 'axios';
import { ApiClient } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStackVim } from '../support/openstack-vim.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';
import { Listener } from './support/listener.js';
import { inState, instantiate, opOccPath, startReplica, type Replica } from './support/replicas.js';

let system: System;
let anna: Replica;
let vnfdId: unknown;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  anna = await startReplica(system, { user: 'anna' });
});

afterAll(async () => {
  await anna.stop();
  await system.close();
});

const trail = async (query: string, api: AxiosInstance = anna.api): Promise<JsonObject[]> =>
  (await api.get<JsonObject[]>(`/windlass/v1/audit_trail?${query}`)).data;

describe('the audit trail', () => {
  it('says who asked for an operation, for which, and what came of it', async () => {
    const { instance, operationId } = await instantiate(anna.api, vnfdId);
    await inState(anna.api, operationId, 'COMPLETED');
    const [outcome, asked, created] = await trail(`vnfInstanceId=${instance}`);
    expect(asked).toMatchObject({
      kind: 'request',
      actor: 'anna',
      tenant: 'default',
      roles: ['admin'],
      method: 'POST',
      resource: `/vnflcm/v1/vnf_instances/${instance}/instantiate`,
      operation: 'INSTANTIATE',
      operationId,
      status: 202,
      outcome: { operationState: 'COMPLETED' },
    });
    expect(String(asked?.remoteAddress)).toContain('127.0.0.1');
    expect(outcome).toMatchObject({ kind: 'outcome', operationId, operation: 'INSTANTIATE', operationState: 'COMPLETED' });
    expect(created).toMatchObject({ method: 'POST', resource: '/vnflcm/v1/vnf_instances', status: 201 });
    expect(await trail(`operationId=${operationId}`)).toHaveLength(2);
  });

  it('has the entry in the transaction of the change itself, and one for one request', async () => {
    const { data } = await anna.api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
    const rows: unknown = await system.database.query(
      `SELECT t.xmin::text = i.xmin::text AS together FROM lcm.audit_trail AS t JOIN lcm.vnf_instance AS i ON i.id = t.vnf_instance_id WHERE i.id = $1`,
      [data.id],
    );
    expect(rows).toEqual([{ together: true }]);
  });

  it('has the warning of a VIM by http, and so has the answer, which the command line prints', async () => {
    const warnings: string[] = [];
    const api = new ApiClient(anna.url, anna.token, (warning) => warnings.push(warning));
    const register = async (url: string) => {
      await api.post('/v1.0/vims', { vim: openStackVim(randomUUID(), { url, tenant: system.emulator.tenant }) });
      const [entry] = await trail('');
      expect(entry).toMatchObject({ method: 'POST', resource: '/v1.0/vims', status: 201 });
      return entry?.detail;
    };
    expect(await register(system.emulator.url)).toBeNull();
    expect(warnings).toEqual([]);
    // An address of this machine that nobody takes for one.
    const elsewhere = await register(system.emulator.url.replace('127.0.0.1', '[::ffff:127.0.0.1]'));
    expect(warnings).toEqual([expect.stringMatching(/^http:\/\/\[::ffff:7f00:1\]:\d+ is http: .* register an https URL$/)]);
    expect(elsewhere).toEqual({ warning: warnings[0] });
  });

  it('keeps the task on a failed operation apart from its request, each with what came of it', async () => {
    system.emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'No valid host.', times: 1 });
    const { operationId } = await instantiate(anna.api, vnfdId);
    await inState(anna.api, operationId, 'FAILED_TEMP');
    await anna.api.post(`${opOccPath(operationId)}/rollback`);
    await inState(anna.api, operationId, 'ROLLED_BACK');
    expect((await anna.api.post(`${opOccPath(operationId)}/retry`)).status).toBe(409);
    const entries = await trail(`operationId=${operationId}`);
    expect(
      entries.map(({ kind, operation, status, outcome }) => [
        kind,
        operation,
        status,
        (outcome as JsonObject | null)?.operationState,
      ]),
    ).toEqual([
      ['request', 'RETRY', 409, undefined],
      ['outcome', 'INSTANTIATE', null, undefined],
      ['request', 'ROLLBACK', 202, 'ROLLED_BACK'],
      ['outcome', 'INSTANTIATE', null, undefined],
      ['request', 'INSTANTIATE', 202, 'FAILED_TEMP'],
    ]);
  });

  it('has what was refused: to strangers, for what is not there, for what is wrong', async () => {
    const id = randomUUID();
    const refusals = [
      [401, () => anna.api.post(`/vnflcm/v1/vnf_instances/${id}/instantiate`, {}, { headers: { 'X-Auth-Token': 'wrong' } })],
      [404, () => anna.api.delete(`/vnflcm/v1/vnf_instances/${id}`)],
      [400, () => anna.api.post(`/vnflcm/v1/vnf_instances/${id}/instantiate`, { vimConnectionInfo: 1 })],
      [
        400,
        () =>
          anna.api.post(`/vnflcm/v1/vnf_instances/${id}/terminate`, '{"no', { headers: { 'Content-Type': 'application/json' } }),
      ],
    ] as const;
    for (const [status, ask] of refusals) expect((await ask()).status).toBe(status);
    const entries = (await trail(`vnfInstanceId=${id}`)).reverse();
    expect(entries.map(({ status }) => status)).toEqual(refusals.map(([status]) => status));
    expect(entries[0]).toMatchObject({ actor: null, tenant: null, code: 'auth.refused' });
    expect(entries[1]).toMatchObject({ actor: 'anna', code: 'vnf-instance.unknown', outcome: null });
  });

  it('gives each request an id, which its answer and its entry carry; reading leaves no entry', async () => {
    const { headers } = await anna.api.delete(`/vnflcm/v1/vnf_instances/${randomUUID()}`);
    const [newest] = await trail('actor=anna');
    expect(newest?.requestId).toBe(headers['x-request-id']);
    const before = (await trail('actor=anna')).length;
    await anna.api.get('/vnflcm/v1/vnf_instances');
    expect(await trail('actor=anna')).toHaveLength(before);
  });

  it('is for admins, and of their own project', async () => {
    const reader = await startReplica(system, { user: 'reader', roles: ['reader'] });
    const stranger = await startReplica(system, { user: 'stranger', tenant: 'other' });
    expect((await reader.api.get('/windlass/v1/audit_trail')).status).toBe(403);
    expect(await trail('', stranger.api)).toEqual([]);
    expect((await anna.api.get('/windlass/v1/audit_trail?from=yesterday')).status).toBe(400);
    await Promise.all([reader.stop(), stranger.stop()]);
  });

  it('keeps no secret: no token, no body, no query', async () => {
    const secret = 'hunter2-hunter2';
    await anna.api.post(`/v1.0/vims?password=${secret}`, { vim: { auth_cred: { password: secret } } });
    await anna.api.post(`/vnflcm/v1/vnf_instances/${randomUUID()}/instantiate`, { additionalParams: { password: secret } });
    const { instance, operationId } = await instantiate(anna.api, vnfdId);
    const listener = await Listener.open(`${anna.url}/windlass/v1/operations/${operationId}/events`, anna.token);
    await listener.has('end');
    const shown = [
      listener.text,
      JSON.stringify(await trail('')),
      JSON.stringify((await anna.api.get(`/windlass/v1/operations/${operationId}/steps`)).data),
      JSON.stringify(await system.database.query('SELECT * FROM lcm.audit_trail')),
    ];
    for (const text of shown) {
      expect(text.length).toBeGreaterThan(100);
      for (const value of [secret, anna.token, system.emulator.tenant.password]) expect(text).not.toContain(value);
    }
    expect(shown[1]).toContain(instance);
  });
});
