import { randomUUID } from 'node:crypto';
import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { smallestPackage, VNFD_ID, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboardZip, startSystem, type System } from '../support/system.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const INSTANCES = '/vnflcm/v1/vnf_instances';

let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.close());

const packageOf = (vnfdId: string): Buffer => {
  const top = String(smallestPackage()['Definitions/top.yaml']).replaceAll(VNFD_ID, JSON.stringify(vnfdId));
  return zipOf(smallestPackage({ 'Definitions/top.yaml': top }));
};

/** Sends those bytes as they are, under that media type or none; what came of it. */
async function uploaded(
  bytes: Buffer,
  type: string | undefined,
): Promise<{ status: number; detail?: string; shown: JsonObject }> {
  const { data } = await system.api.post<{ id: string }>(PACKAGES, {});
  const path = `${PACKAGES}/${data.id}`;
  const answer = await fetch(`${String(system.api.defaults.baseURL)}${path}/package_content`, {
    method: 'PUT',
    headers: { 'X-Auth-Token': 'test-token', ...(type === undefined ? {} : { 'Content-Type': type }) },
    body: new Blob([new Uint8Array(bytes)]).stream(),
    duplex: 'half',
  } as RequestInit);
  const text = await answer.text();
  const shown = await waitUntil(
    async () => {
      const { data: now } = await system.api.get<JsonObject>(path);
      return now.onboardingState === 'ONBOARDED' || answer.status !== 202 ? now : undefined;
    },
    { for: 'the package to be onboarded', within: seconds(60), every: millis(50) },
  );
  return { status: answer.status, shown, ...(text === '' ? {} : { detail: String((JSON.parse(text) as JsonObject).detail) }) };
}

const form = (content: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('--edge\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'),
    Buffer.from(
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/zip\r\n\r\n',
    ),
    content,
    Buffer.from('\r\n--edge--\r\n'),
  ]);

describe('the content of a package', () => {
  it.each([
    undefined,
    'application/zip',
    'application/x-zip-compressed',
    'application/octet-stream',
    'Application/ZIP; charset=binary',
  ])('is taken as %s', async (type) => {
    expect(await uploaded(packageOf(randomUUID()), type)).toMatchObject({ status: 202, shown: { onboardingState: 'ONBOARDED' } });
  });

  it('is taken as the file of a form, byte for byte', async () => {
    const zip = packageOf(randomUUID());
    const { status, shown } = await uploaded(form(zip), 'multipart/form-data; boundary=edge');
    expect([status, shown.onboardingState]).toEqual([202, 'ONBOARDED']);
    const { data } = await system.api.get<Buffer>(`${PACKAGES}/${String(shown.id)}/package_content`, {
      responseType: 'arraybuffer',
    });
    expect(Buffer.from(data).equals(zip)).toBe(true);
  });

  it('is refused as anything else, and the package can be sent again', async () => {
    const zip = packageOf(randomUUID());
    const urlencoded = await uploaded(zip, 'application/x-www-form-urlencoded');
    expect(urlencoded).toMatchObject({
      status: 415,
      detail: expect.stringContaining('send the zip itself as application/zip') as string,
    });
    const cut = await uploaded(form(zip).subarray(0, 400), 'multipart/form-data; boundary=edge');
    expect(cut).toMatchObject({ status: 400, shown: { onboardingState: 'CREATED' } });
    const again = await system.api.put(`${PACKAGES}/${String(cut.shown.id)}/package_content`, zip, {
      headers: { 'Content-Type': 'application/zip' },
    });
    expect(again.status).toBe(202);
  });
});

describe('a descriptor id that is no UUID', () => {
  it.each(['acme-router-2024.1', 'x1bb0ce7-ebca-4fa7-95ed-4840d70a1177', 'acme/router 1', 'Größe-路由器', "it's,(odd)?&%2F"])(
    'is as good as one in v1 and v2: %s',
    async (vnfdId) => {
      expect(await onboardZip(system.api, packageOf(vnfdId))).toMatchObject({ onboardingState: 'ONBOARDED', vnfdId });
      const first = await system.api.post<JsonObject>(INSTANCES, { vnfdId });
      expect([first.status, first.data.vnfdId]).toEqual([201, vnfdId]);
      const second = await system.api.post<JsonObject>(
        INSTANCES.replace('v1', 'v2'),
        { vnfdId },
        { headers: { Version: '2.0.0' } },
      );
      expect([second.status, second.data.vnfdId]).toEqual([201, vnfdId]);
      const named = await system.api.get<JsonObject>(`/vnfpkgm/v1/onboarded_vnf_packages/${encodeURIComponent(vnfdId)}`);
      expect([named.status, named.data.vnfdId]).toEqual([200, vnfdId]);
      const filter = encodeURIComponent(`(eq,vnfdId,'${vnfdId.replaceAll("'", "''")}')`);
      const listed = await system.api.get<JsonObject[]>(`${PACKAGES}?filter=${filter}`);
      expect(listed.data.map((each) => each.vnfdId)).toEqual([vnfdId]);
    },
  );

  it('that no request could name is refused at onboarding', async () => {
    for (const id of ['x'.repeat(256), ' blank', '..']) {
      const { onboardingFailureDetails } = await onboardZip(system.api, packageOf(id));
      expect(onboardingFailureDetails).toMatchObject({ detail: expect.stringContaining('descriptor_id') as string });
    }
  });
});
