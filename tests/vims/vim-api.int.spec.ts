import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { openStackVim } from '../support/openstack-vim.js';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

let system: System;
let stranger: Replica;
/** The project's default VIM, which an instance uses. */
let used: string;
/** The path of that instance. */
let vnf: string;

beforeAll(async () => {
  system = await startSystem();
  stranger = await startReplica(system, { tenant: 'another', user: 'eve' });
  used = await registerVim(system);
  const { vnfdId } = await onboard(system.api, 'simple-vm');
  vnf = await createVnf(system.api, vnfdId);
  const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
  await atRest(system.api, await system.api.post(`${vnf}/instantiate`, request));
});

afterAll(async () => {
  await stranger.stop();
  await system.close();
});

interface Vim extends JsonObject {
  id: string;
  name: string;
}
type Answer = { vim: Vim; vims: Vim[]; TackerError: { type: string; message: string; detail: string } };

const body = (more: JsonObject = {}): { vim: JsonObject } => ({
  vim: openStackVim(`vim-${randomUUID()}`, system.emulator, more),
});
const call = (method: string, url: string, data?: unknown) => system.api.request<Answer>({ method, url, data });
const registered = async (more: JsonObject = {}): Promise<Vim> => (await call('POST', '/v1.0/vims.json', body(more))).data.vim;
const paths = (id: string): string[] => [`/v1.0/vims/${id}`, `/v1.0/vims/${id}.json`];

describe('VIMs as the command line asks for them', () => {
  it('are registered, looked up, shown, changed and deleted, with .json and without', async () => {
    for (const suffix of ['', '.json']) {
      const made = await call('POST', `/v1.0/vims${suffix}`, body({ description: 'mine', is_default: 'False' }));
      expect(made.status).toBe(201);
      const { id, name } = made.data.vim;
      expect(made.data.vim).toMatchObject({
        type: 'openstack',
        description: 'mine',
        is_default: false,
        status: 'ACTIVE',
        tenant_id: 'default',
      });
      expect(made.data.vim.auth_cred).toMatchObject({ password: '***' });
      for (const query of [`id=${id}`, `name=${name}`]) {
        const found = await call('GET', `/v1.0/vims${suffix}?${query}&fields=id`);
        expect([found.status, found.data]).toEqual([200, { vims: [{ id }] }]);
      }
      expect((await call('GET', `/v1.0/vims/${id}${suffix}`)).data.vim).toEqual(made.data.vim);
      const changed = await call('PUT', `/v1.0/vims/${id}${suffix}`, { vim: { description: 'ours' } });
      expect([changed.status, changed.data.vim.description, changed.data.vim.name]).toEqual([200, 'ours', name]);
      expect((await call('DELETE', `/v1.0/vims/${id}${suffix}`)).status).toBe(204);
      expect((await call('GET', `/v1.0/vims${suffix}?id=${id}&fields=id`)).data).toEqual({ vims: [] });
    }
  });

  it('are an empty list where nothing matches, never an error', async () => {
    for (const query of ['id=none', `id=${randomUUID()}`, 'name=nobody', 'id=', 'name=', `name=${'n'.repeat(300)}`, 'id=%27'])
      expect([query, (await call('GET', `/v1.0/vims.json?${query}&fields=id`)).data]).toEqual([query, { vims: [] }]);
    expect((await stranger.api.get<Answer>('/v1.0/vims.json')).data.vims).toEqual([]);
  });
});

describe('a VIM that is not there, or another project’s', () => {
  it.each(['GET', 'PUT', 'DELETE'])('is 404 to %s, and never 500', async (method) => {
    for (const id of [randomUUID(), 'none', '%27', 'x'.repeat(300)]) {
      for (const path of paths(id)) {
        const { status, data, headers } = await call(method, path, method === 'PUT' ? { vim: { description: 'x' } } : undefined);
        expect([id, status]).toEqual([id, 404]);
        // The command line reads this before anything else.
        expect(data.TackerError).toMatchObject({ message: expect.any(String) as string });
        expect(headers['content-type']).toMatch(/^application\/json/);
      }
    }
    for (const path of paths(used))
      expect((await stranger.api.request({ method, url: path, data: { vim: { description: 'x' } } })).status).toBe(404);
  });
});

describe('a VIM that is taken', () => {
  it('by its name is 409, registered or renamed, and the project’s default is one', async () => {
    const mine = await registered();
    const other = await registered();
    const cases: [string, string, { vim: JsonObject }][] = [
      ['POST', '/v1.0/vims.json', body({ name: mine.name })],
      ['PUT', `/v1.0/vims/${other.id}.json`, { vim: { name: mine.name } }],
      ['POST', '/v1.0/vims.json', body({ is_default: true })],
      ['PUT', `/v1.0/vims/${other.id}.json`, { vim: { is_default: 'True' } }],
    ];
    for (const [method, path, data] of cases) {
      const refused = await call(method, path, data);
      expect([method, refused.status]).toEqual([method, 409]);
      expect(refused.data.TackerError.message).toMatch(/already/);
    }
    const elsewhere = await stranger.api.post<Answer>('/v1.0/vims.json', body({ name: mine.name, is_default: true }));
    expect(elsewhere.status).toBe(201);
  });

  it('by an instance can’t be deleted: 409; its description can be changed', async () => {
    for (const path of paths(used)) {
      const refused = await call('DELETE', path);
      expect([refused.status, refused.data.TackerError.message]).toEqual([409, expect.stringMatching(/used by VNF instance/)]);
      expect((await call('PUT', path, { vim: { description: randomUUID() } })).status).toBe(200);
    }
  });
});

describe('a change of a VIM', () => {
  it('tries new credentials before it keeps them', async () => {
    const { id } = await registered();
    const sealed = async (): Promise<JsonObject[]> =>
      system.database.query<JsonObject[]>('SELECT auth_cred::text, description FROM vim.vim WHERE id = $1', [id]);
    const before = await sealed();
    const refused = await call('PUT', `/v1.0/vims/${id}.json`, {
      vim: { description: 'half', auth_cred: { username: system.emulator.tenant.user, password: 'wrong' } },
    });
    expect(refused.status).toBe(400);
    expect(refused.data.TackerError.message).toMatch(/was not changed/);
    expect(JSON.stringify(refused.data)).not.toContain('"wrong"');
    expect(await sealed()).toEqual(before);
    const { username, password } = { username: system.emulator.tenant.user, password: system.emulator.tenant.password };
    expect((await call('PUT', `/v1.0/vims/${id}.json`, { vim: { auth_cred: { username, password } } })).status).toBe(200);
    expect(await sealed()).not.toEqual(before);
  });

  it('that comes beside others is kept, and so are they', async () => {
    const { id } = await registered();
    for (let round = 0; round < 3; round++) {
      const name = `vim-${randomUUID()}`;
      const changes: JsonObject[] = [
        { description: `round ${round}` },
        { name },
        { extra: { use_helm: `round ${round}` } },
        { auth_cred: { password: system.emulator.tenant.password, [`seed${round}`]: 'x' } },
      ];
      const answers = await Promise.all(changes.map((vim) => call('PUT', `/v1.0/vims/${id}`, { vim })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await call('GET', `/v1.0/vims/${id}`)).data.vim).toMatchObject({
        ...{ description: `round ${round}`, name, extra: { use_helm: expect.any(String) as string } },
        auth_cred: { [`seed${round}`]: '***' },
      });
    }
    expect((await call('GET', `/v1.0/vims/${id}`)).data.vim.auth_cred).toMatchObject({
      seed0: '***',
      seed1: '***',
      seed2: '***',
    });
  });

  it('of what is fixed is 400 and says so; what it repeats is taken', async () => {
    const { id } = await registered();
    const fixed: JsonObject = { type: 'kubernetes', auth_url: 'http://127.0.0.1:1/v3', id: randomUUID(), tenant_id: 'another' };
    for (const [name, value] of Object.entries(fixed)) {
      const refused = await call('PUT', `/v1.0/vims/${id}`, { vim: { [name]: value } });
      expect([name, refused.status]).toEqual([name, 400]);
      expect(refused.data.TackerError.message).toContain(`a VIM's ${name} can't change`);
    }
    const same = { type: 'openstack', auth_url: system.emulator.url, id, tenant_id: 'default', description: 'same' };
    expect((await call('PUT', `/v1.0/vims/${id}`, { vim: same })).status).toBe(200);
  });
});

describe('a registration that is wrong', () => {
  it.each([
    [{ name: '' }],
    [{ name: null }],
    [{ name: 'n'.repeat(256) }],
    [{ name: { a: 1 } }],
    [{ type: 'vmware' }],
    [{ auth_url: 'file:///etc/passwd' }],
    [{ auth_url: 'no URL' }],
    [{ auth_url: 'http://me:secret@127.0.0.1/v3' }],
    [{ auth_url: 'http://127.0.0.1:1/v3' }],
    [{ auth_cred: 'text' }],
    [{ auth_cred: {} }],
    [{ vim_project: [] }],
    [{ vim_project: {} }],
    [{ extra: 'text' }],
    [{ description: null }],
    [{ description: { a: 1 } }],
    [{ description: 7 }],
    [{ is_default: 'maybe' }],
    [{ is_default: 1 }],
  ] as [JsonObject][])('is 400, never 500: %j', async (more) => {
    const { id } = await registered();
    const answer = await call('POST', '/v1.0/vims.json', body(more));
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.data)).not.toContain('secret@');
    if ('description' in more || 'is_default' in more || 'name' in more)
      expect((await call('PUT', `/v1.0/vims/${id}.json`, { vim: more })).status).toBe(400);
  });

  it('chooses an id: 400, the same whether another project has a VIM of that id or nobody', async () => {
    const answers = await Promise.all(
      [used, randomUUID()].map((id) => stranger.api.post<JsonObject>('/v1.0/vims.json', body({ id }))),
    );
    expect(answers.map(({ status, data }) => [status, data])).toEqual(Array(2).fill([400, answers[0]?.data]));
    expect(JSON.stringify(answers[0]?.data)).toContain('vim.id: leave it out');
  });

  it('is no object with a VIM: 400', async () => {
    for (const wrong of [{}, [], { vim: [] }, { vim: 'x' }, { vim: null }])
      expect((await call('POST', '/v1.0/vims.json', wrong)).status).toBe(400);
  });
});

describe('a VIM whose last VNF was terminated a moment ago', () => {
  it('is deleted at once, although the image of that VNF is still on its way out', async () => {
    system.emulator.faults.add({ kind: 'hang', method: 'DELETE', path: '/images/', forMs: 1_000, times: 1 });
    const terminated = await atRest(system.api, await system.api.post(`${vnf}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(terminated, JSON.stringify(terminated)).toMatchObject({ operationState: 'COMPLETED' });
    expect((await system.api.delete(vnf)).status).toBe(204);
    const deleted = await call('DELETE', `/v1.0/vims/${used}`);
    expect(deleted.status, JSON.stringify(deleted.data)).toBe(204);
    expect(system.emulator.inventory().flatMap(({ images }) => images.filter(({ tags }) => tags.length > 0))).toEqual([]);
  });
});
