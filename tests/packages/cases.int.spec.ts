import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, minutes, type Json, type JsonObject } from '@windlass/foundation';
import { smallestPackage, VNFD_ID, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboardZip, registerVim, startSystem, type System } from '../support/system.js';
import { ONCE_CLEANED_UP } from '../support/cleaned-up.js';
import { NOTIFYING } from '../notifications/support/notifying.js';
import { Subscriber } from '../notifications/support/subscriber.js';
import { caseBody, caseFolder, caseZip, signedZip } from './support/cases.js';

/** The inputs of strangers in `cases/`, each with its own bytes; README.md there has the table. */
const PACKAGES = '/vnfpkgm/v1/vnf_packages';
/** In minutes; Heat gets five less, so that it ends first. */
const STACK_WITHIN = 90;
const V2 = { headers: { Version: '2.0.0' } };

let system: System;
let token = '';
/** Where each service of the OpenStack is, by its type. */
const endpoints = new Map<string, string>();

beforeAll(async () => {
  system = await startSystem({ stackWithin: minutes(STACK_WITHIN), lcm: NOTIFYING });
  await registerVim(system);
  const { tenant, url } = system.emulator;
  const domain = { name: 'Default' };
  const user = { name: tenant.user, password: tenant.password, domain };
  const auth = { identity: { methods: ['password'], password: { user } }, scope: { project: { name: tenant.project, domain } } };
  const answer = await fetch(`${url}/auth/tokens`, { method: 'POST', body: JSON.stringify({ auth }) });
  token = answer.headers.get('x-subject-token') ?? '';
  const { catalog } = ((await answer.json()) as { token: { catalog: { type: string; endpoints: { url: string }[] }[] } }).token;
  for (const { type, endpoints: faces } of catalog) endpoints.set(type, faces[0]?.url ?? '');
});
afterAll(() => system.close());

/** What the OpenStack itself answers. */
async function vim(service: 'image' | 'network' | 'compute' | 'orchestration', path: string, body?: Json): Promise<JsonObject> {
  const base = `${endpoints.get(service) ?? ''}${service === 'image' ? '/v2' : service === 'network' ? '/v2.0' : ''}`;
  const method = body === undefined ? 'GET' : 'POST';
  const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' };
  const answer = await fetch(`${base}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as JsonObject;
}
const listed = async (service: Parameters<typeof vim>[0], path: string, key: string): Promise<JsonObject[]> =>
  ((await vim(service, path))[key] ?? []) as JsonObject[];

async function onboarded(number: string, folder?: string): Promise<JsonObject> {
  const shown = await onboardZip(system.api, await caseZip(number, folder));
  expect(shown, JSON.stringify(shown)).toMatchObject({ onboardingState: 'ONBOARDED' });
  return shown;
}

/** Instantiates a case's package with its own body, and terminates it when all is seen. */
async function living(
  vnfdId: unknown,
  body: JsonObject,
  see: (url: string, instance: JsonObject) => Promise<void>,
): Promise<void> {
  const { api, emulator } = system;
  const before = JSON.stringify(emulator.inventory());
  const url = await createVnf(api, vnfdId);
  const made = await atRest(api, await api.post(`${url}/instantiate`, body));
  expect(made, JSON.stringify(made)).toMatchObject({ operationState: 'COMPLETED' });
  await see(url, (await api.get<JsonObject>(url)).data.instantiatedVnfInfo as JsonObject);
  const end = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
  expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
  expect((await api.delete(url)).status).toBe(204);
  await expect.poll(() => JSON.stringify(emulator.inventory()), ONCE_CLEANED_UP).toBe(before);
}
const vnfcsOf = (info: JsonObject): JsonObject[] => (info.vnfcResourceInfo ?? []) as JsonObject[];

describe('01, limits of an image with units', () => {
  it('reach Glance in its own, and a flavor below them is refused before anything is made', async () => {
    const { vnfdId } = await onboarded('01');
    const body = caseBody('01');
    const url = await createVnf(system.api, vnfdId);
    const small = await system.api.post<JsonObject>(`${url}/instantiate`, body);
    expect(small.status, JSON.stringify(small.data)).toBe(409);
    expect(JSON.stringify(small.data)).toContain('m1.tiny');
    await system.api.delete(url);
    const larger = { ...body, additionalParams: { nfv: { VDU: { VM: { flavor: 'm1.medium' } } } } };
    await living(vnfdId, larger, async () => {
      const [image] = await listed('image', '/images?name=case-min-disk', 'images');
      expect(image).toMatchObject({ min_disk: 2, min_ram: 489, size: 65_536 });
    });
  });
});

describe('02, a flavour that the node of the VNF alone names', () => {
  it.each(['pkg', 'no-mappings/pkg'])('is deployed: %s', async (folder) => {
    const { vnfdId } = await onboarded('02', folder);
    await living(vnfdId, caseBody('02'), (_, info) => {
      expect([info.flavourId, vnfcsOf(info).length]).toEqual(['default', 1]);
      return Promise.resolve();
    });
  });
});

describe('04, yes and no', () => {
  it('switch DHCP off, and a floating address on', async () => {
    const { vnfdId } = await onboarded('04');
    await living(vnfdId, caseBody('04'), async () => {
      const inside = (await listed('network', '/subnets', 'subnets')).filter(({ cidr }) => cidr === '10.77.0.0/24');
      expect(inside).toMatchObject([{ enable_dhcp: false }]);
      expect(await listed('network', '/floatingips', 'floatingips')).toHaveLength(1);
    });
  });
});

describe('05, a zip with package, signature and certificate', () => {
  it('is the package within, and it is said that nobody verified it', async () => {
    const shown = await onboardZip(system.api, await signedZip(await caseZip('05')));
    expect(shown, JSON.stringify(shown)).toMatchObject({
      onboardingState: 'ONBOARDED',
      vnfdId: '5c1f0a10-0005-4c7e-9a11-0d5e6c1b0005',
      windlassWarnings: [expect.stringMatching(/verif/)],
    });
    await living(shown.vnfdId, caseBody('05'), () => Promise.resolve());
  });
});

describe('06, a manifest under the key of SOL004 2.4.1', () => {
  it('refuses the file that was changed, by its name and both hashes', async () => {
    const shown = await onboardZip(system.api, await caseZip('06'));
    expect(shown).toMatchObject({
      onboardingState: 'CREATED',
      onboardingFailureDetails: { detail: expect.stringMatching(/Scripts\/hello\.sh.*5dbad7dd.*67185ad4/) as string },
    });
  });
});

describe('08, an upload as a form', () => {
  it('is taken from curl as the case’s script sends it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'windlass-case-'));
    try {
      const [zip, tokenFile] = [join(folder, 'package.zip'), join(folder, 'token')];
      const vnfdId = randomUUID();
      const top = String(smallestPackage()['Definitions/top.yaml']).replaceAll(VNFD_ID, vnfdId);
      await writeFile(zip, zipOf(smallestPackage({ 'Definitions/top.yaml': top })));
      await writeFile(tokenFile, 'test-token');
      const env = { ...process.env, API: String(system.api.defaults.baseURL), TOKEN_FILE: tokenFile };
      // Its /dev/stderr can't be opened where that is a socket.
      const command = 'sh "$0" "$1" 2> "$2"';
      const script = ['-c', command, join(caseFolder('08'), 'upload.sh'), zip, join(folder, 'said')];
      const { stdout } = await promisify(execFile)('sh', script, { env, timeout: 60_000 });
      expect(stdout.trim()).toBe('202');
      const there = () => system.api.get(`/vnfpkgm/v1/onboarded_vnf_packages/${vnfdId}`);
      await expect.poll(async () => (await there()).status, { timeout: 30_000 }).toBe(200);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('10, a descriptor id that is no UUID', () => {
  it.each([
    ['pkg', 'acme-router-2024.1'],
    ['nearly/pkg', 'z5c1f0a1-0010-4c7e-9a11-0d5e6c1b0010'],
  ])('is created in v1 and in v2, found by its id, and lives: %s', async (folder, vnfdId) => {
    await onboarded('10', folder);
    const body = { ...caseBody('10', 'create.json'), vnfdId };
    const { api } = system;
    expect((await api.get(`/vnfpkgm/v1/onboarded_vnf_packages/${vnfdId}`)).status).toBe(200);
    const second = await api.post<JsonObject>('/vnflcm/v2/vnf_instances', body, V2);
    expect([second.status, second.data.vnfdId]).toEqual([201, vnfdId]);
    await living(vnfdId, caseBody('10'), () => Promise.resolve());
  });
});

describe('11, user data that imports vnf_instance_utils', () => {
  it('has the request’s flavor over the computed one', async () => {
    const { vnfdId } = await onboarded('11');
    await living(vnfdId, caseBody('11'), async () => {
      const [server] = await listed('compute', '/servers/detail', 'servers');
      const flavors = await listed('compute', '/flavors', 'flavors');
      const wanted = flavors.find(({ name }) => name === 'm1.small');
      const flavor = isJsonObject(server?.flavor) ? server.flavor : {};
      expect([flavor.id, flavor.original_name]).toContain(flavor.id === undefined ? 'm1.small' : wanted?.id);
    });
    await living(vnfdId, caseBody('11', 'instantiate-asks-the-vnfd.json'), () => Promise.resolve());
  });
});

describe('12, a script’s own change_ext_conn', () => {
  it('moves the port to the other network', async () => {
    const { vnfdId } = await onboarded('12');
    await living(vnfdId, caseBody('12'), async (url) => {
      const moved = await atRest(
        system.api,
        await system.api.post(`${url}/change_ext_conn`, caseBody('12', 'change-ext-conn.json')),
      );
      expect(moved, JSON.stringify(moved)).toMatchObject({ operationState: 'COMPLETED' });
      const addresses = system.emulator.inventory().flatMap(({ ports }) => ports.flatMap((port) => port.addresses));
      expect(addresses).toEqual([expect.stringMatching(/^10\.10\.1\./)]);
    });
  });
});

describe('14, a port that somebody prepared', () => {
  it('is the server’s, is shown as the link port, and is there when the VNF is gone', async () => {
    const { vnfdId } = await onboarded('14');
    const [net0] = await listed('network', '/networks?name=net0', 'networks');
    const port = (await vim('network', '/ports', { port: { network_id: String(net0?.id), name: 'case-14-prepared' } }))
      .port as JsonObject;
    const shown = async () => (await vim('network', `/ports/${String(port.id)}`)).port as JsonObject;
    await living(vnfdId, caseBody('14', 'instantiate.json.in', String(port.id)), async (_, info) => {
      const [server] = vnfcsOf(info).map(({ computeResource }) => (computeResource as JsonObject).resourceId);
      expect((await shown()).device_id).toBe(server);
      expect(JSON.stringify(info.extVirtualLinkInfo)).toContain(String(port.id));
    });
    expect((await shown()).device_id).toBe('');
  });
});

describe('18, a stack that takes long', () => {
  it('has the time that STACK_WITHIN gives', async () => {
    await onboarded('18');
    // The emulator's Heat knows no WaitCondition: any stack has the time that this one would have.
    const { vnfdId } = await onboarded('27');
    await living(vnfdId, caseBody('18'), async () => {
      const [stack] = await listed('orchestration', '/stacks', 'stacks');
      const path = `/stacks/${String(stack?.stack_name)}/${String(stack?.id)}`;
      expect(((await vim('orchestration', path)).stack as JsonObject).timeout_mins).toBe(STACK_WITHIN - 5);
    });
  });
});

describe('19, a VDU whose lowest level is none', () => {
  it('is scaled out of nothing, and in to nothing', async () => {
    const { vnfdId } = await onboarded('19');
    await living(vnfdId, caseBody('19'), async (url) => {
      const servers = () => system.emulator.inventory().flatMap((project) => project.servers).length;
      expect(servers()).toBe(0);
      for (const [file, count] of [
        ['scale-out.json', 1],
        ['scale-in.json', 0],
        ['scale-out.json', 1],
        ['scale-in.json', 0],
      ] as const) {
        const scaled = await atRest(system.api, await system.api.post(`${url}/scale`, caseBody('19', file)));
        expect(scaled, JSON.stringify(scaled)).toMatchObject({ operationState: 'COMPLETED' });
        expect(servers()).toBe(count);
      }
    });
  });
});

describe('27, properties that no template has', () => {
  it('are each warned of, and metadata takes effect', async () => {
    const { data } = await system.api.get<JsonObject[]>(PACKAGES);
    const shown = data.find(({ vnfdId }) => vnfdId === '5c1f0a10-0027-4c7e-9a11-0d5e6c1b0027');
    const { data: one } = await system.api.get<JsonObject>(`${PACKAGES}/${String(shown?.id)}`);
    const warnings = JSON.stringify(one.windlassWarnings);
    for (const left of ['inject_files', 'trunk_mode', 'number_of_ip_address', 'fixed_ip_address', 'role'])
      expect(warnings).toContain(`${left} is left out`);
    expect(warnings).not.toContain('meta_data');
    await living(shown?.vnfdId, caseBody('27'), async () => {
      const [server] = await listed('compute', '/servers/detail', 'servers');
      expect(server?.metadata).toMatchObject({ role: 'gateway' });
    });
  });
});

describe('28, a callback of 319 characters', () => {
  it.each([
    ['/vnflcm/v1/subscriptions', {}],
    ['/vnflcm/v2/subscriptions', V2],
    ['/vnfpkgm/v1/subscriptions', {}],
  ])('is taken, and asked as it is written: %s', async (path, asks) => {
    const subscriber = await Subscriber.start();
    try {
      const { filter, callbackUri } = caseBody('28', 'subscription.json');
      const here = new URL(String(callbackUri)).href.replace('https://hooks.example.net', new URL(subscriber.url).origin);
      const body = { ...(path.includes('vnflcm') ? { filter: filter ?? {} } : {}), callbackUri: here };
      const made = await system.api.post<JsonObject>(path, body, asks);
      expect([made.status, made.data.callbackUri], JSON.stringify(made.data)).toEqual([201, here]);
      expect(here.length).toBeGreaterThan(255);
      expect(subscriber.requests.map(({ path: asked }) => asked)).toContain(here.slice(new URL(here).origin.length));
    } finally {
      await subscriber.goAway();
    }
  });
});
