import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultOutboundRules } from '@windlass/outbound';
import { testServer, type SeenRequest, type TestServer } from '@windlass/outbound/testing';
import { sha256 } from '@windlass/vnf-package/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica, type ReplicaOptions } from '../observability/support/replicas.js';
import { startSystem, type System } from '../support/system.js';
import { gate, signedPackage } from './support/packages.js';

const PACKAGES = '/vnfpkgm/v1/vnf_packages';
const MAX_BYTES = 256 * 1024;
const CONTENT = 'what lies elsewhere';

let system: System;
let store: TestServer;
let elsewhere: TestServer;
let anna: Replica;
const answers = new Map<string, Parameters<typeof testServer>[0]>();
/** Replicas that a test has started. They go when it ends: one with other settings would take up what another test's replica has left. */
const others: Replica[] = [];

const outbound = { rules: { ...defaultOutboundRules, allow: ['127.0.0.0/8'] } };
const packages = { hosts: ['127.0.0.1'], abandonedAfter: seconds(3) };

beforeAll(async () => {
  // Whichever replica takes up what another has left must be allowed the same.
  system = await startSystem({ lcm: { packages, outbound } });
  store = await testServer((request, response) => {
    const answer = answers.get(request.path);
    if (answer !== undefined) return answer(request, response);
    response.writeHead(404).end('not here');
  });
  elsewhere = await testServer((_request, response) => void response.end(CONTENT), { host: '127.0.0.2' });
  anna = await startReplica(system, { user: 'anna', more: { packages, outbound, maxPackageBytes: MAX_BYTES } });
});

afterAll(async () => {
  await anna.stop();
  await Promise.all([store.close(), elsewhere.close()]);
  await system.close();
});

afterEach(async () => {
  await Promise.all(others.splice(0).map((replica) => replica.stop()));
});

const replica = async (user: string, more: ReplicaOptions['more']): Promise<Replica> => {
  const started = await startReplica(system, { user, more: more ?? {} });
  others.push(started);
  return started;
};

const serve = (path: string, answer: Parameters<typeof testServer>[0]): string => {
  answers.set(path, answer);
  return `${store.url}${path}`;
};

/** A package whose manifest names an artifact elsewhere; uploaded, and ONBOARDED or CREATED again. */
async function onboarded(url: string, { api }: Replica = anna, content = CONTENT): Promise<JsonObject> {
  const { zip } = signedPackage({ 'manifest.mf': `Source: ${url}\nAlgorithm: SHA-256\nHash: ${sha256(content)}\n` });
  const { id } = (await api.post<{ id: string }>(PACKAGES, {})).data;
  await api.put(`${PACKAGES}/${id}/package_content`, zip, { headers: { 'Content-Type': 'application/zip' } });
  return settled(id);
}

const settled = (id: string): Promise<JsonObject> =>
  waitUntil(
    async (seen) => {
      const { data } = await anna.api.get<JsonObject>(`${PACKAGES}/${id}`);
      seen(JSON.stringify(data));
      return data.onboardingState === 'ONBOARDED' || data.onboardingFailureDetails !== undefined ? data : undefined;
    },
    { for: `package ${id} to be onboarded or refused`, within: minutes(1), every: millis(50) },
  );

describe('an artifact that a package names by URL', () => {
  it('is fetched from a host that the operator named, compared, and shown among the artifacts', async () => {
    const url = serve('/good', (_request, response) => void response.end(CONTENT));
    expect(await onboarded(url)).toMatchObject({
      onboardingState: 'ONBOARDED',
      additionalArtifacts: [{ artifactPath: url, checksum: { hash: sha256(CONTENT) } }],
    });
  });

  it('is refused where its bytes have another hash', async () => {
    const url = serve('/other', (_request, response) => void response.end('something else'));
    expect(await onboarded(url)).toMatchObject({
      onboardingState: 'CREATED',
      onboardingFailureDetails: {
        code: 'meta.hash-mismatch',
        detail: expect.stringContaining(sha256('something else')) as string,
      },
    });
  });

  it('is asked for nowhere where no host is named: the refusal says which variable names them', async () => {
    const url = serve('/unasked', (_request, response) => void response.end(CONTENT));
    const nobody = await replica('nobody', { outbound });
    const { onboardingFailureDetails } = await onboarded(url, nobody);
    const detail = expect.stringMatching(
      /manifest\.mf, line 1: artifacts are fetched only from hosts that LCM_PACKAGE_HOSTS names; none is named there\. Put the file into the package/,
    ) as string;
    expect(onboardingFailureDetails).toMatchObject({ code: 'meta.remote-source', detail });
    expect(store.seen.filter(({ path }) => path === '/unasked')).toEqual([]);
  });

  it('lies on this machine, which an allowed host does not open', async () => {
    const url = serve('/inside', (_request, response) => void response.end(CONTENT));
    const inside = await replica('inside', { packages });
    expect((await onboarded(url, inside)).onboardingFailureDetails).toMatchObject({ code: 'outbound.address-refused' });
    expect(store.seen.filter(({ path }) => path === '/inside')).toEqual([]);
  });

  it.each([
    [
      'redirected to another host',
      (_request: SeenRequest, response: ServerResponse): void => void response.writeHead(302, { location: elsewhere.url }).end(),
      'outbound.redirected',
    ],
    [
      'larger than anything that is taken',
      (_request: SeenRequest, response: ServerResponse): void => void response.end(randomBytes(MAX_BYTES + 1)),
      'outbound.too-large',
    ],
    ['not there', undefined, 'outbound.refused'],
  ])('is refused when it is %s', async (what, answer, code) => {
    const path = `/${what.replaceAll(' ', '-')}`;
    const url = answer === undefined ? `${store.url}${path}` : serve(path, answer);
    expect((await onboarded(url)).onboardingFailureDetails).toMatchObject({ code });
    expect(elsewhere.seen).toHaveLength(0);
  });

  it('is given up when its time is over', async () => {
    const url = serve('/never', (_request, response) => void response.write('w'));
    const hurried = await replica('hurried', { packages: { ...packages, fetchWithin: seconds(1) }, outbound });
    expect((await onboarded(url, hurried)).onboardingFailureDetails).toMatchObject({ code: 'outbound.timeout' });
  });

  it('is fetched again by another replica where one stops in the middle', async () => {
    const asked = gate();
    let times = 0;
    const url = serve('/handed', (_request, response) => {
      times += 1;
      if (times > 1) response.end(CONTENT);
      else response.write('w', () => asked.open());
    });
    const leaving = await startReplica(system, { user: 'leaving', more: { packages, outbound } });
    const done = onboarded(url, leaving);
    await asked.passed;
    await leaving.stop();
    expect(await done).toMatchObject({ onboardingState: 'ONBOARDED' });
    expect(times).toBe(2);
  });
});
