import { millis, Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { program } from '../support/program.js';
import { atRest, createVnf, linkTo, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

vi.setConfig({ testTimeout: 180_000 });

let system: System;
let vnfdId: unknown;
let vimId: string;
let before: string;

beforeAll(async () => {
  system = await startSystem({ policy: { lease: seconds(6) }, cleanUpPause: () => millis(300), absentFor: seconds(20) });
  vimId = await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
});

afterAll(() => system.close());

beforeEach(() => {
  before = JSON.stringify(system.emulator.inventory());
});

/** An instance whose instantiation failed and was marked so; its stack lies in the VIM. */
async function failedInstance(request?: JsonObject): Promise<string> {
  const { api, emulator } = system;
  emulator.faults.add({ kind: 'fail-resource', resource: 'VDU1', action: 'CREATE', reason: 'Quota exceeded.', times: 1 });
  const url = await createVnf(api, vnfdId);
  const body = request ?? (await sampleRequest('instantiate-simple-vm.json', 'net0'));
  const op = await atRest(api, await api.post(`${url}/instantiate`, body));
  expect((await api.post(`/vnflcm/v1/vnf_lcm_op_occs/${String(op.id)}/fail`)).status).toBe(200);
  expect(JSON.stringify(emulator.inventory())).not.toBe(before);
  return url;
}

const asBefore = (): Promise<true> =>
  waitUntil(
    (seen) => {
      const now = JSON.stringify(system.emulator.inventory());
      seen(now);
      return Promise.resolve(now === before ? true : undefined);
    },
    { for: 'the VIM to hold what it held before', within: seconds(60), every: millis(50) },
  );

/** The clean-up of an instance, as soon as it fits. */
const cleanUpThat = (url: string, fits: (row: { state: string; attempts: number }) => boolean): Promise<object> =>
  waitUntil(
    async (seen) => {
      const rows = await system.database.query<{ state: string; attempts: number }[]>(
        'SELECT state, attempts, error FROM lcm.internal_operation WHERE vnf_instance_id = $1',
        [url.split('/').at(-1)],
      );
      seen(JSON.stringify(rows));
      return rows.find(fits);
    },
    { for: `the clean-up of ${url}`, within: seconds(60), every: millis(50) },
  );

const done = ({ state }: { state: string }): boolean => state === 'DONE';

describe('DELETE of an instance that left things in the VIM', () => {
  it('answers 204 at once, and a clean-up removes them', async () => {
    const url = await failedInstance();
    expect((await system.api.delete(url)).status).toBe(204);
    expect((await system.api.get(url)).status).toBe(404);
    await asBefore();
    await cleanUpThat(url, done);
  });

  it('during an outage of the VIM is tried again until the VIM is back, and the VIM can’t be deleted before', async () => {
    const { api, emulator } = system;
    const url = await failedInstance();
    const outage = emulator.faults.add({ kind: 'status', status: 503, path: '/orchestration/', times: 'always' });
    try {
      expect((await api.delete(url)).status).toBe(204);
      await cleanUpThat(url, ({ attempts }) => attempts >= 1);
      const refused = await api.delete<JsonObject>(`/v1.0/vims/${vimId}`);
      expect(refused.status).toBe(409);
      expect(JSON.stringify(refused.data)).toContain('still to be removed');
    } finally {
      emulator.faults.remove(outage);
    }
    await asBefore();
    await cleanUpThat(url, done);
  });

  it('removes from a VIM that only the request described, whose credentials are kept sealed', async () => {
    const { emulator, database } = system;
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const { project, user, password } = emulator.tenant;
    const url = await failedInstance({
      ...request,
      vimConnectionInfo: [
        {
          id: 'described',
          vimType: 'openstack',
          interfaceInfo: { endpoint: emulator.url },
          accessInfo: { username: user, password, project },
        },
      ],
    });
    expect((await system.api.delete(url)).status).toBe(204);
    await asBefore();
    await cleanUpThat(url, done);
    const rows = await database.query<{ subject: Buffer }[]>('SELECT subject FROM lcm.internal_operation');
    expect(rows.length).toBeGreaterThan(0);
    for (const { subject } of rows) expect(subject.includes(password)).toBe(false);
  });

  it('removes a stack that Heat makes only after its creation was given up', async () => {
    const { api, emulator } = system;
    const { project, user, password } = emulator.tenant;
    const openStack = OpenStack.open({
      authUrl: emulator.url,
      credentials: { kind: 'password', username: user, password: new Secret(password), project },
    });
    const refused = emulator.faults.add({ kind: 'status', status: 503, method: 'POST', path: '/stacks$', times: 'always' });
    const url = await createVnf(api, vnfdId);
    const id = url.split('/').at(-1) ?? '';
    const asked = emulator.count('POST', /\/stacks$/);
    const accepted = await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0'));
    const opOcc = new URL(String(accepted.headers.location)).pathname;
    await waitUntil(() => Promise.resolve(emulator.count('POST', /\/stacks$/) > asked ? true : undefined), {
      for: 'the creation to be asked for',
      within: seconds(30),
      every: millis(20),
    });
    await api.post(`${opOcc}/cancel`, { cancelMode: 'FORCEFUL' });
    expect(await atRest(api, accepted)).toMatchObject({ operationState: 'FAILED_TEMP' });
    await api.post(`${opOcc}/fail`);
    emulator.faults.remove(refused);
    await openStack.heat.listStacks();
    expect((await api.delete(url)).status).toBe(204);
    const template = 'heat_template_version: 2021-04-16\nresources:\n  late: { type: OS::Heat::RandomString }\n';
    await openStack.heat.createStack({ name: `vnf-${id}`, template, tags: ['windlass', `windlass-vnf-${id}`] });
    openStack.close();
    await cleanUpThat(url, done);
    // The image goes by a clean-up of its own, as soon as nobody refers to it.
    await asBefore();
  });

  it('can be given up by a person where its VIM is no more: it ends, says what it leaves, and holds the VIM no longer', async () => {
    const { api, emulator } = system;
    const url = await failedInstance();
    const outage = emulator.faults.add({ kind: 'status', status: 503, path: '/orchestration/', times: 'always' });
    expect((await api.delete(url)).status).toBe(204);
    await cleanUpThat(url, ({ attempts }) => attempts >= 1);
    const waiting = await api.get<JsonObject[]>('/windlass/v1/clean_ups');
    const [{ id, stack } = {}] = waiting.data.filter(({ state }) => state === 'PENDING');
    expect((await program(system, 'vnf', 'clean-up', 'list')).join('\n')).toMatch(
      new RegExp(`${String(id)} {2}PENDING {2}${vimId} {2}stack ${String(stack)} .*failed \\d+ times.*503`),
    );
    // An attempt may be under way at any moment: that is a 409, which says to come again.
    const given = await waitUntil(
      async (seen) => {
        try {
          return await program(system, 'vnf', 'clean-up', 'give-up', String(id));
        } catch (error) {
          seen(String(error));
          if (String(error).includes('being tried at this moment')) return undefined;
          throw error;
        }
      },
      { for: 'the clean-up to be given up', within: seconds(60), every: millis(50) },
    );
    expect(JSON.parse(given.join(''))).toMatchObject({ id, state: 'GIVEN_UP', stack });
    const again = await api.post<JsonObject>(`/windlass/v1/clean_ups/${String(id)}/give_up`);
    expect([again.status, again.data.code]).toEqual([409, 'clean-up.ended']);
    emulator.faults.remove(outage);
    const orphans = await program(system, 'vnf', 'audit', '--fix').catch((error: unknown) => [String(error)]);
    expect(orphans.join('\n')).toContain(String(stack));
    await asBefore();
  });

  it('goes on when its worker dies between the deletion and its report', async () => {
    const { emulator } = system;
    const url = await failedInstance();
    await system.worker.stop();
    const doomed = await linkTo(system, 'doomed');
    await system.infra(doomed);
    const deletions = emulator.count('DELETE', /\/orchestration\/.*\/stacks\//);
    expect((await system.api.delete(url)).status).toBe(204);
    await waitUntil(
      () => Promise.resolve(emulator.count('DELETE', /\/orchestration\/.*\/stacks\//) > deletions ? true : undefined),
      { for: 'the stack’s deletion', within: seconds(30), every: millis(5) },
    );
    await doomed.close();
    system.worker = await system.infra();
    await asBefore();
    await cleanUpThat(url, done);
  });
});
