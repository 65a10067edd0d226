import { millis, Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiClient, audit } from '@windlass/windlass';
import { randomUUID } from 'node:crypto';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

vi.setConfig({ testTimeout: 180_000 });

let system: System;
let vnfdId: unknown;
let openStack: OpenStack;
let deployment: string;

beforeAll(async () => {
  system = await startSystem({ cleanUpPause: () => millis(300) });
  await registerVim(system);
  ({ vnfdId } = await onboard(system.api, 'simple-vm'));
  const { project, user, password } = system.emulator.tenant;
  openStack = OpenStack.open({
    authUrl: system.emulator.url,
    credentials: { kind: 'password', username: user, password: new Secret(password), project },
  });
  const [row] = await system.database.query<{ id: string }[]>('SELECT id FROM lcm.deployment');
  deployment = `windlass-deployment-${row?.id ?? ''}`;
});

afterAll(async () => {
  openStack.close();
  await system.close();
});

interface Finding {
  type: string;
  id: string;
}

interface Report extends JsonObject {
  orphans: JsonObject[] & Finding[];
  missing: JsonObject[] & Finding[];
  foreign: JsonObject[] & Finding[];
  differences: JsonObject[] & Finding[];
  unclaimed: JsonObject[] & Finding[];
}

/** The audit as the command line makes it: exit status and report. */
async function audited(fix = false): Promise<{ status: number; report: Report }> {
  const lines: string[] = [];
  const api = new ApiClient(String(system.api.defaults.baseURL), 'test-token');
  const status = await audit(api, { fix, json: true }, (line) => void lines.push(line));
  return { status, report: JSON.parse(lines.join('\n')) as Report };
}

async function instantiated(): Promise<string> {
  const { api } = system;
  const url = await createVnf(api, vnfdId);
  const op = await atRest(api, await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  return url;
}

const TEMPLATE = 'heat_template_version: 2021-04-16\nresources:\n  word: { type: OS::Heat::RandomString }\n';

/** A stack as this or another Windlass would have left it. */
async function stackOf(vnfInstanceId: string, ...tags: string[]): Promise<string> {
  const { id } = await openStack.heat.createStack({
    name: `vnf-${vnfInstanceId}`,
    template: TEMPLATE,
    tags: ['windlass', `windlass-vnf-${vnfInstanceId}`, ...tags],
  });
  return id;
}

const idsOf = (findings: readonly Finding[]): string[] => findings.map(({ id }) => id);

describe('vnf audit', () => {
  it('finds nothing to tell while database and VIM say the same, and refuses who is no administrator', async () => {
    const { api } = system;
    const url = await instantiated();
    const { status, report } = await audited();
    expect({ status, report }, JSON.stringify(report)).toMatchObject({
      status: 0,
      report: { orphans: [], missing: [], foreign: [], differences: [], unclaimed: [], waiting: [] },
    });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect((await audited()).status).toBe(0);
    expect((await api.delete(url)).status).toBe(204);
  });

  it('tells what is missing, and what was put into a stack of ours by others', async () => {
    const { api } = system;
    const url = await instantiated();
    const vnf = url.split('/').at(-1) ?? '';
    const [stack] = await openStack.heat.listStacks({ name: `vnf-${vnf}` });
    const [image] = await openStack.glance.findImages({ tag: 'windlass-shared-image' });
    if (stack === undefined || image === undefined) throw new Error('the instance has no stack or image');
    await openStack.glance.deleteImage(image.id);
    const first = await audited();
    expect(first.status).toBe(1);
    expect(idsOf(first.report.missing)).toEqual([image.id]);
    await openStack.heat.deleteStack(stack);
    const second = await waitUntil(
      async (seen) => {
        const { report } = await audited();
        seen(JSON.stringify(report));
        return report.missing.length === 2 ? report : undefined;
      },
      { for: 'the stack to be missing', within: seconds(30), every: millis(100) },
    );
    expect(idsOf(second.missing).sort()).toEqual([image.id, stack.id].sort());
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect((await audited()).status).toBe(0);
    await api.delete(url);
  });

  it('removes with --fix what carries our tag and has no instance, and nothing of another Windlass or of nobody', async () => {
    const inVim = (): string[] => {
      const all = system.emulator.inventory().flatMap(({ stacks, images }) => [...stacks, ...images]);
      return idsOf(all as unknown as Finding[]);
    };
    const before = inVim();
    const ours = await stackOf(randomUUID(), deployment);
    const others = await stackOf(randomUUID(), `windlass-deployment-${randomUUID()}`);
    const nobodys = await stackOf(randomUUID());
    const vnf = randomUUID();
    const tags = ['windlass', `windlass-vnf-${vnf}`];
    const ourImage = await openStack.glance.createImage({ name: 'left', diskFormat: 'raw', tags: [...tags, deployment] });
    const othersImage = await openStack.glance.createImage({ name: 'theirs', diskFormat: 'raw', tags });
    const found = await audited();
    expect(found.status).toBe(1);
    expect(idsOf(found.report.orphans).sort()).toEqual([ours, ourImage.id].sort());
    expect(idsOf(found.report.unclaimed).sort()).toEqual([nobodys, others, othersImage.id].sort());
    const fixed = await audited(true);
    expect(fixed, JSON.stringify(fixed.report)).toMatchObject({ status: 0 });
    expect(inVim().sort()).toEqual([...before, nobodys, others, othersImage.id].sort());
    const again = await audited();
    expect(again.report.orphans).toEqual([]);
    expect(again.status).toBe(0);
  });

  it('calls nothing an orphan that an operation in flight has made', async () => {
    const { api, emulator } = system;
    emulator.faults.add({ kind: 'slow-stack', delayMs: 5_000, times: 1 });
    const url = await createVnf(api, vnfdId);
    const accepted = await api.post(`${url}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0'));
    await waitUntil(
      async () =>
        (await openStack.heat.listStacks({ name: `vnf-${url.split('/').at(-1) ?? ''}` })).length > 0 ? true : undefined,
      { for: 'the stack to be begun', within: seconds(30), every: millis(50) },
    );
    const { report } = await audited(true);
    expect(report).toMatchObject({ orphans: [], missing: [], differences: [] });
    expect(report.busy).toEqual([url.split('/').at(-1)]);
    expect(await atRest(api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    await api.delete(url);
  });

  it('says that it could not look where the VIM does not answer', async () => {
    const { emulator } = system;
    const away = emulator.faults.add({ kind: 'status', status: 503, path: '/orchestration/', times: 'always' });
    try {
      const { status, report } = await audited(true);
      expect(status).toBe(2);
      expect(report).toMatchObject({ orphans: [], vims: [{ name: 'lab', failure: expect.any(String) as string }] });
    } finally {
      emulator.faults.remove(away);
    }
  });
});
