import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { millis, minutes, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultOutboundRules } from '@windlass/outbound';
import { testServer } from '@windlass/outbound/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica, type ReplicaOptions } from '../observability/support/replicas.js';
import { signedPackage } from '../packages/support/packages.js';
import { startSystem, type System } from '../support/system.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const INSTANCES = '/vnflcm/v1/vnf_instances';

let system: System;
const replicas: Replica[] = [];
let projects = 0;

beforeAll(async () => {
  system = await startSystem();
});
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
});
afterAll(() => system.close());

/** A replica for a project that has nothing yet. */
async function project(more: ReplicaOptions['more'], tenant = `project-${++projects}`): Promise<Replica & { tenant: string }> {
  const replica = await startReplica(system, { tenant, user: `user-${++projects}`, ...(more && { more }) });
  replicas.push(replica);
  return { ...replica, tenant };
}

const create = ({ api }: Replica) => api.post<JsonObject>(PACKAGES, {});
const statuses = (answers: { status: number }[]): number[] => answers.map(({ status }) => status).sort();

async function created(replica: Replica): Promise<string> {
  return String((await create(replica)).data.id);
}

/** In pieces, so that nobody knows its length beforehand. */
const upload = ({ api }: Replica, id: string, zip: Buffer) =>
  api.put<JsonObject>(`${PACKAGES}/${id}/package_content`, Readable.from([zip.subarray(0, 100), zip.subarray(100)]), {
    headers: { 'Content-Type': 'application/zip' },
    maxRedirects: 0,
  });

/** The package once it is ONBOARDED, or CREATED again with the reason. */
const settled = ({ api }: Replica, id: string): Promise<JsonObject> =>
  waitUntil(
    async (seen) => {
      const { data } = await api.get<JsonObject>(`${PACKAGES}/${id}`);
      seen(JSON.stringify(data));
      return data.onboardingState === 'ONBOARDED' || data.onboardingFailureDetails !== undefined ? data : undefined;
    },
    { for: `package ${id} to be onboarded or refused`, within: minutes(1), every: millis(50) },
  );

async function onboarded(replica: Replica): Promise<{ id: string; vnfdId: string }> {
  const { zip, vnfdId } = signedPackage();
  const id = await created(replica);
  expect((await upload(replica, id, zip)).status).toBe(202);
  expect(await settled(replica, id)).toMatchObject({ onboardingState: 'ONBOARDED' });
  return { id, vnfdId };
}

async function remove({ api }: Replica, id: string): Promise<void> {
  await api.patch(`${PACKAGES}/${id}`, { operationalState: 'DISABLED' });
  expect((await api.delete(`${PACKAGES}/${id}`)).status).toBe(204);
}

/** What is kept of a package's content, and how much room it has. */
const keptOf = async (id: string): Promise<JsonObject> => {
  const [row] = await system.database.query<JsonObject[]>(
    `SELECT (SELECT count(*)::int FROM package.chunk WHERE package_id = $1) AS chunks, size, upload_bytes AS room
     FROM package.vnf_package WHERE id = $1`,
    [id],
  );
  return row ?? {};
};
const NOTHING = { chunks: 0, size: null, room: null };

describe('the VNF packages of a project', () => {
  it('are no more than it may have, also of several that are made at once; another project and a deletion have room', async () => {
    const more = { quotas: { packages: 3 } };
    const [crowded, other] = [await project(more), await project(more)];
    const made = await Promise.all(Array.from({ length: 6 }, () => create(crowded)));
    expect(statuses(made)).toEqual([201, 201, 201, 409, 409, 409]);
    const refused = made.find(({ status }) => status === 409);
    expect(refused?.data).toMatchObject({ code: 'vnf-package.too-many' });
    expect(refused?.data.detail).toMatch(/has 3 VNF packages, and may have 3 \(LCM_PACKAGES_PER_PROJECT\): delete/);
    expect(String(refused?.headers['content-type'])).toContain('application/problem+json');
    expect((await create(other)).status).toBe(201);
    const first = made.find(({ status }) => status === 201);
    await crowded.api.delete(`${PACKAGES}/${String(first?.data.id)}`);
    expect((await create(crowded)).status).toBe(201);
    expect((await create(crowded)).status).toBe(409);
  });

  it('stay where there are more than a later limit', async () => {
    const free = await project(undefined);
    const ids = [await created(free), await created(free)];
    const limited = await project({ quotas: { packages: 1 } }, free.tenant);
    expect((await create(limited)).status).toBe(409);
    expect((await limited.api.get<JsonObject[]>(PACKAGES)).data.map(({ id }) => id).sort()).toEqual(ids.sort());
  });
});

describe('the VNF instances of a project', () => {
  it.each([
    ['v1', INSTANCES, {}],
    ['v2', '/vnflcm/v2/vnf_instances', { Version: '2.0.0' }],
  ])('are no more than it may have, also of several that are made at once (%s)', async (_version, path, headers) => {
    const crowded = await project({ quotas: { vnfInstances: 2 } });
    const { vnfdId } = await onboarded(crowded);
    const ask = () => crowded.api.post<JsonObject>(path, { vnfdId }, { headers: { ...headers } });
    const made = await Promise.all(Array.from({ length: 5 }, ask));
    expect(statuses(made)).toEqual([201, 201, 409, 409, 409]);
    const refused = made.find(({ status }) => status === 409);
    expect(refused?.data).toMatchObject({ code: 'vnf-instance.too-many' });
    expect(refused?.data.detail).toMatch(/has 2 VNF instances, and may have 2 \(LCM_VNF_INSTANCES_PER_PROJECT\): terminate/);
    const first = made.find(({ status }) => status === 201);
    await crowded.api.delete(`${path}/${String(first?.data.id)}`, { headers: { ...headers } });
    expect(statuses([await ask(), await ask()])).toEqual([201, 409]);
  });
});

describe('the bytes of the VNF packages of a project', () => {
  const { zip } = signedPackage();
  /** Room for two packages such as this one. */
  const more = { quotas: { packageBytes: Math.floor(zip.length * 2.5) } };

  it('are no more than they may be, also of several that are uploaded at once; of the refused ones nothing is kept', async () => {
    const crowded = await project(more);
    const ids = await Promise.all(Array.from({ length: 5 }, () => created(crowded)));
    const answers = await Promise.all(ids.map((id) => upload(crowded, id, signedPackage().zip)));
    expect(statuses(answers)).toEqual([202, 202, 413, 413, 413]);
    const refused = answers.find(({ status }) => status === 413);
    expect(refused?.data).toMatchObject({ code: 'vnf-package.no-room' });
    expect(refused?.data.detail).toMatch(/\(LCM_PACKAGE_BYTES_PER_PROJECT\): delete/);
    for (const id of ids.filter((_id, n) => answers[n]?.status === 413)) {
      expect(await keptOf(id)).toEqual(NOTHING);
      expect(await settled(crowded, id)).toMatchObject({ onboardingState: 'CREATED' });
    }
    const taken = ids.find((_id, n) => answers[n]?.status === 202) ?? '';
    expect(await settled(crowded, taken)).toMatchObject({ onboardingState: 'ONBOARDED' });
    await remove(crowded, taken);
    const again = ids.find((_id, n) => answers[n]?.status === 413) ?? '';
    expect((await upload(crowded, again, signedPackage().zip)).status).toBe(202);
  });

  it('are counted before an upload whose length is known is read', async () => {
    const crowded = await project(more);
    const id = await created(crowded);
    const { port, hostname } = new URL(crowded.url);
    const headers = { 'X-Auth-Token': crowded.token, 'Content-Type': 'application/zip', 'Content-Length': zip.length * 3 };
    const path = `${PACKAGES}/${id}/package_content`;
    const asked = httpRequest({ hostname, port, path, method: 'PUT', headers, agent: false });
    const answered = new Promise<IncomingMessage>((resolve, reject) => void asked.on('response', resolve).on('error', reject));
    asked.flushHeaders();
    expect((await answered).statusCode).toBe(413);
    asked.on('error', () => undefined).destroy();
    expect(await keptOf(id)).toEqual(NOTHING);
  });

  it('are counted as they come where the length of an upload is not known, and what was kept until then goes', async () => {
    const mib = 1024 ** 2;
    const crowded = await project({ quotas: { packageBytes: 2.5 * mib }, maxPackageBytes: 8 * mib });
    const id = await created(crowded);
    expect((await upload(crowded, id, Buffer.alloc(3 * mib))).data).toMatchObject({ status: 413, code: 'vnf-package.no-room' });
    expect(await keptOf(id)).toEqual(NOTHING);
  });

  it('are free again once an upload was cut off', async () => {
    const crowded = await project(more);
    const id = await created(crowded);
    const { port, hostname } = new URL(crowded.url);
    const headers = { 'X-Auth-Token': crowded.token, 'Content-Type': 'application/zip', 'Content-Length': zip.length * 2 };
    const asked = httpRequest({
      hostname,
      port,
      path: `${PACKAGES}/${id}/package_content`,
      method: 'PUT',
      headers,
      agent: false,
    });
    asked.on('error', () => undefined).flushHeaders();
    const room = (wanted: string | null) =>
      waitUntil(async () => ((await keptOf(id)).room === wanted ? true : undefined), {
        for: `the room of the upload to be ${wanted}`,
        within: minutes(1),
        every: millis(20),
      });
    await room(String(zip.length * 2));
    const second = await created(crowded);
    expect((await upload(crowded, second, zip)).status).toBe(413);
    asked.destroy();
    await room(null);
    expect((await upload(crowded, second, zip)).status).toBe(202);
  });

  it('count for packages that are fetched from a URI, too', async () => {
    const repository = await testServer((_request, response) => void response.end(signedPackage().zip));
    const fetching = {
      packages: { hosts: ['127.0.0.1'] },
      outbound: { rules: { ...defaultOutboundRules, allow: ['127.0.0.0/8'] } },
    };
    const crowded = await project({ ...more, ...fetching });
    const fetched = async () => {
      const id = await created(crowded);
      const path = `${PACKAGES}/${id}/package_content/upload_from_uri`;
      expect((await crowded.api.post(path, { addressInformation: `${repository.url}/one.zip` })).status).toBe(202);
      return { id, ...(await settled(crowded, id)) };
    };
    const all: JsonObject[] = await Promise.all([fetched(), fetched(), fetched()]);
    const refused = all.filter(({ onboardingState }) => onboardingState === 'CREATED');
    expect(refused).toMatchObject([{ onboardingFailureDetails: { code: 'vnf-package.no-room', status: 413 } }]);
    expect(await keptOf(String(refused[0]?.id))).toEqual(NOTHING);
    await repository.close();
  });
});
