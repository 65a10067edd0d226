import { randomUUID } from 'node:crypto';
import { Secret, type JsonObject } from '@windlass/foundation';
import { noNeeds, OpenStack, type Finding } from '@windlass/openstack';
import { testServer } from '@windlass/outbound/testing';
import { surroundings, windlassProgram } from '@windlass/windlass';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { openStackVim } from '../support/openstack-vim.js';
import { createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let stranger: Replica;
let reader: Replica;
let scratch: string;
let vim: string;
let vnf: string;

beforeAll(async () => {
  system = await startSystem();
  stranger = await startReplica(system, { tenant: 'another', user: 'eve' });
  reader = await startReplica(system, { user: 'rita', roles: ['reader'] });
  vim = await registerVim(system);
  vnf = await createVnf(system.api, (await onboard(system.api, 'kubernetes')).vnfdId);
  scratch = await mkdtemp(join(tmpdir(), 'windlass-vim-check-'));
  await writeFile(join(scratch, 'token'), 'test-token');
  await writeFile(
    join(scratch, 'request.json'),
    JSON.stringify(await sampleRequest('instantiate-kubernetes-simple.json', 'net0')),
  );
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
  await Promise.all([stranger.stop(), reader.stop()]);
  await system.close();
});

/** What the command prints, and its exit status. */
async function check(...args: string[]): Promise<{ findings: Finding[]; exitCode: number; printed: string }> {
  const out: string[] = [];
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
  const before = process.exitCode;
  try {
    const target = ['--url', String(system.api.defaults.baseURL), '--token-file', join(scratch, 'token')];
    const program = windlassProgram({ ...surroundings({}), calledFrom: scratch });
    await program.parseAsync(['vim', 'check', '--json', ...args, ...target], { from: 'user' });
    const printed = out.join('');
    return { ...(JSON.parse(printed) as { findings: Finding[] }), exitCode: Number(process.exitCode ?? 0), printed };
  } finally {
    process.exitCode = before;
    written.mockRestore();
  }
}

const of = (findings: readonly Finding[], status: string): string[] =>
  findings.filter((finding) => finding.status === status).map((finding) => finding.check);

describe('a registered VIM', () => {
  it('is looked at by the service that keeps its credentials, for an instance and its request', async () => {
    const id = vnf.split('/').at(-1) ?? '';
    const { findings, exitCode, printed } = await check('lab', '--vnf', id, '--request', 'request.json');
    // A new project’s default group: only its members reach each other.
    expect(of(findings, 'failed')).toEqual(['security-group.tcp-22', 'security-group.tcp-6443']);
    expect(of(findings, 'ok')).toEqual(
      expect.arrayContaining(['access.login', 'network.exists', 'flavor.fits', 'image.exists', 'quota.ports']),
    );
    expect(exitCode).toBe(1);
    expect(printed).not.toContain(system.emulator.tenant.password);
  });

  it('is changed by nothing of it', async () => {
    const before = system.emulator.requests.length;
    await check(vim, '--network', 'net0');
    const asked = system.emulator.requests.slice(before);
    expect(asked.length).toBeGreaterThan(8);
    expect(asked.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/auth/tokens'))).toEqual([]);
  });

  it('is an operator’s to look at, of its own project, and refused by name otherwise', async () => {
    const path = `/windlass/v1/vims/${vim}/check`;
    const asked = async (api: typeof system.api, url: string, body: JsonObject) => {
      const { status, data } = await api.post<{ detail?: string }>(url, body);
      return [status, data.detail ?? ''] as const;
    };
    const needs = noNeeds() as unknown as JsonObject;
    expect((await asked(system.api, path, needs))[0]).toBe(200);
    expect((await asked(reader.api, path, needs))[0]).toBe(403);
    expect((await asked(stranger.api, path, needs))[0]).toBe(404);
    for (const unknown of [randomUUID(), 'none'])
      expect((await asked(system.api, `/windlass/v1/vims/${unknown}/check`, needs))[0]).toBe(404);
    for (const wrong of [{}, { ...needs, more: 1 }, { ...needs, networks: [{ name: 'net0' }] }])
      expect((await asked(system.api, path, wrong))[0]).toBe(400);
  });

  it('that answers nothing has four of its project looking and four waiting, and no more; another project comes in its turn', async () => {
    const { url, tenant } = system.emulator;
    let open: () => void = () => undefined;
    let held: Promise<void> | undefined;
    const gate = await testServer(async ({ method, path, headers, body }, response) => {
      await held;
      const { host: _host, ...others } = headers;
      const answer = await fetch(new URL(path, url), {
        method,
        headers: others as Record<string, string>,
        ...(body === '' ? {} : { body }),
      });
      const token = answer.headers.get('x-subject-token');
      response.writeHead(answer.status, { 'content-type': 'application/json', ...(token && { 'x-subject-token': token }) });
      response.end(await answer.text());
    });
    const registered = async (api: typeof system.api, at: string): Promise<string> => {
      const body = { vim: openStackVim(randomUUID(), { url: at, tenant }) };
      return `/windlass/v1/vims/${(await api.post<{ vim: { id: string } }>('/v1.0/vims', body)).data.vim.id}/check`;
    };
    try {
      const mute = await registered(system.api, `${gate.url}${new URL(url).pathname}`);
      const theirs = await registered(stranger.api, url);
      held = new Promise((resolve) => (open = resolve));
      const look = (api: typeof system.api, path: string) => api.post<{ code?: string }>(path, noNeeds());
      const many = Array.from({ length: 9 }, () => look(system.api, mute));
      const refused = await Promise.race(many);
      expect([refused.status, refused.data.code]).toEqual([429, 'project.too-many-waiting']);
      const other = look(stranger.api, theirs);
      open();
      expect((await other).status).toBe(200);
      expect((await Promise.all(many)).map(({ status }) => status).sort()).toEqual([...Array<number>(8).fill(200), 429]);
    } finally {
      open();
      await gate.close();
    }
  });

  it('with quotas that are too small is told by how much, as an administrator set them', async () => {
    const { url, tenant, admin } = system.emulator;
    const credentials = {
      kind: 'password' as const,
      username: admin.user,
      password: new Secret(admin.password),
      project: admin.project,
    };
    const openStack = OpenStack.open({ authUrl: url, credentials });
    const project = system.emulator.projectId(tenant.project);
    const set = async (service: 'compute' | 'network', path: string, json: JsonObject) =>
      openStack.session.request(service, { method: 'PUT', path: `${path}/${project}`, json, expect: [200] });
    try {
      await set('compute', '/os-quota-sets', { quota_set: { instances: 3, cores: 5 } });
      await set('network', '/quotas', { quota: { port: 2 } });
      const { findings } = await check('lab', '--vnf', vnf.split('/').at(-1) ?? '', '--request', 'request.json');
      const quota = (name: string) => findings.find((finding) => finding.check === `quota.${name}`);
      expect(quota('instances')).toMatchObject({
        status: 'warning',
        command: expect.stringMatching(/^openstack quota set --instances \d+ vnfm$/) as string,
      });
      expect(quota('cores')).toMatchObject({
        status: 'failed',
        says: expect.stringMatching(/^6 needed, .*; 5 of 5 left$/) as string,
      });
      expect(quota('ports')).toMatchObject({ status: 'failed' });
    } finally {
      await set('compute', '/os-quota-sets', { quota_set: { instances: -1, cores: -1 } });
      await set('network', '/quotas', { quota: { port: -1 } });
      openStack.close();
    }
  });

  it('that is not there is named with those that are', async () => {
    await expect(check('nowhere')).rejects.toThrow('there is no VIM nowhere; there are lab');
  });
});
