import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { bufferCsarSource, openCsar } from '@windlass/vnf-package';
import { smallestPackage, VNFD_ID, zipOf } from '@windlass/vnf-package/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplica, type Replica } from '../observability/support/replicas.js';
import { onboard, onboardZip, startSystem, type System } from '../support/system.js';
import { ARTIFACT, rawGet, signedPackage, type RawAnswer } from './support/packages.js';

const ROOT = '/vnfpkgm/v1';
const { zip, vnfdId } = signedPackage();

let system: System;
/** Of another project. */
let stranger: Replica;
let id: string;
/** A package that is not onboarded. */
let empty: string;
/** One whose VNFD has several files. */
let several: { id: string; vnfdId: string };

beforeAll(async () => {
  system = await startSystem();
  stranger = await startReplica(system, { tenant: 'another', user: 'eve' });
  id = String((await onboardZip(system.api, zip)).id);
  empty = (await system.api.post<{ id: string }>(`${ROOT}/vnf_packages`, {})).data.id;
  const kubernetes = await onboard(system.api, 'kubernetes');
  several = { id: String(kubernetes.id), vnfdId: String(kubernetes.vnfdId) };
});

afterAll(async () => {
  await stranger.stop();
  await system.close();
});

/** Both paths of the same package. */
const paths = (): [string, string] => [`${ROOT}/vnf_packages/${id}`, `${ROOT}/onboarded_vnf_packages/${vnfdId}`];
const get = (path: string, headers?: Readonly<Record<string, string>>): Promise<RawAnswer> => rawGet(system.api, path, headers);
const problemOf = ({ body }: RawAnswer): JsonObject => JSON.parse(body.toString('utf8')) as JsonObject;
const members = async (answer: RawAnswer): Promise<string[]> =>
  (await openCsar(bufferCsarSource(answer.body))).members.map(({ name }) => name).sort();

describe('the content of a package (conformance 13)', () => {
  it('is the archive byte by byte, under both of its paths, with length and entity tag', async () => {
    const sha512 = createHash('sha512').update(zip).digest('hex');
    for (const path of paths()) {
      const { status, headers, body } = await get(`${path}/package_content`, { Accept: 'application/zip' });
      expect(status).toBe(200);
      expect(body.equals(zip)).toBe(true);
      // Exactly so: the command line tells what it got by it.
      expect(headers['content-type']).toBe('application/zip');
      expect(headers['content-length']).toBe(String(zip.length));
      expect(headers['accept-ranges']).toBe('bytes');
      expect(headers.etag).toBe(`"${sha512}"`);
      expect(headers.version).toBe('1.2.0');
    }
  });

  it('comes in ranges with exact Content-Range and Content-Length', async () => {
    const size = zip.length;
    const cases: [string, number, number][] = [
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      [`bytes=${size - 5}-`, size - 5, size - 1],
      ['bytes=-7', size - 7, size - 1],
      [`bytes=100-${size + 100}`, 100, size - 1],
    ];
    for (const path of paths()) {
      for (const [range, first, last] of cases) {
        const { status, headers, body } = await get(`${path}/package_content`, { Range: range });
        expect([status, headers['content-range'], headers['content-length']], range).toEqual([
          206,
          `bytes ${first}-${last}/${size}`,
          String(last - first + 1),
        ]);
        expect(body.equals(zip.subarray(first, last + 1)), range).toBe(true);
      }
    }
  });

  it('put together of ranges that name the entity tag is the archive; of another tag it comes whole', async () => {
    const [path] = paths();
    const first = await get(`${path}/package_content`, { Range: 'bytes=0-99' });
    const etag = String(first.headers.etag);
    const rest = await get(`${path}/package_content`, { Range: 'bytes=100-', 'If-Range': etag });
    expect(Buffer.concat([first.body, rest.body]).equals(zip)).toBe(true);
    const whole = await get(`${path}/package_content`, { Range: 'bytes=100-', 'If-Range': '"another"' });
    expect(whole.status).toBe(200);
    expect(whole.body.equals(zip)).toBe(true);
  });

  it('out of range is 416 with its size, and several ranges are 400', async () => {
    for (const path of paths()) {
      const outside = await get(`${path}/package_content`, { Range: `bytes=${zip.length}-` });
      expect([outside.status, outside.headers['content-range'], problemOf(outside).code]).toEqual([
        416,
        `bytes */${zip.length}`,
        'request.range',
      ]);
      const ranges = await get(`${path}/package_content`, { Range: 'bytes=0-1,4-5' });
      expect([ranges.status, problemOf(ranges).code]).toEqual([400, 'request.ranges']);
    }
  });

  it('is a zip alone: 406 for who wants something else', async () => {
    for (const path of paths()) expect((await get(`${path}/package_content`, { Accept: 'application/json' })).status).toBe(406);
  });

  it('as VNFD and artifact is 409 while the package is not ONBOARDED', async () => {
    for (const resource of ['package_content', 'vnfd', 'artifacts', `artifacts/${encodeURI(ARTIFACT.path)}`]) {
      const answer = await get(`${ROOT}/vnf_packages/${empty}/${resource}`);
      expect([answer.status, problemOf(answer).code], resource).toEqual([409, 'vnf-package.not-onboarded']);
      expect(schemaErrors('ProblemDetails', problemOf(answer))).toEqual([]);
    }
  });
});

describe('the VNFD of a package (conformance 13)', () => {
  const TEXT = { Accept: 'text/plain' };
  const ZIP = { Accept: 'application/zip' };

  it('of one file is that text, and nothing is added to its type', async () => {
    for (const path of paths()) {
      for (const headers of [TEXT, { Accept: 'text/plain,application/zip' }, undefined]) {
        const answer = await get(`${path}/vnfd`, headers);
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain']);
        const vnfd = String(smallestPackage()['Definitions/top.yaml']).replaceAll(VNFD_ID, vnfdId);
        expect(answer.body.toString('utf8')).toBe(vnfd);
      }
    }
  });

  it('as a zip holds the VNFD, and TOSCA.meta and manifest where they lie', async () => {
    for (const path of paths()) {
      const answer = await get(`${path}/vnfd`, ZIP);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/zip']);
      expect(await members(answer)).toEqual(['Definitions/top.yaml', 'TOSCA-Metadata/TOSCA.meta', 'manifest.mf']);
    }
  });

  it('of several files is a zip of them all, and 406 as text', async () => {
    for (const path of [`${ROOT}/vnf_packages/${several.id}`, `${ROOT}/onboarded_vnf_packages/${several.vnfdId}`]) {
      const text = await get(`${path}/vnfd`, TEXT);
      expect([text.status, problemOf(text).code]).toEqual([406, 'request.not-acceptable']);
      for (const headers of [ZIP, { Accept: 'text/plain,application/zip' }]) {
        const answer = await get(`${path}/vnfd`, headers);
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/zip']);
        const found = await members(answer);
        expect(found.filter((name) => name.startsWith('Definitions/')).length).toBeGreaterThan(1);
        expect(found.every((name) => /^(Definitions|TOSCA-Metadata)\//.test(name))).toBe(true);
      }
    }
  });

  it('is neither JSON nor anything else: 406', async () => {
    for (const accept of ['application/json', 'text/html', 'text/plain;q=0'])
      expect((await get(`${paths()[0]}/vnfd`, { Accept: accept })).status, accept).toBe(406);
  });
});

describe('the artifacts of a package (conformance 13)', () => {
  const artifact = `artifacts/${encodeURI(ARTIFACT.path)}`;

  it('come by their path, its slashes encoded or not, whole and in ranges', async () => {
    const size = ARTIFACT.content.length;
    for (const path of paths()) {
      for (const place of [artifact, `artifacts/${encodeURIComponent(ARTIFACT.path)}`]) {
        const whole = await get(`${path}/${place}`);
        expect([whole.status, whole.headers['content-length'], whole.body.toString()]).toEqual([
          200,
          String(size),
          ARTIFACT.content,
        ]);
        expect(whole.headers['x-content-type-options']).toBe('nosniff');
      }
      const part = await get(`${path}/${artifact}`, { Range: 'bytes=10-14' });
      expect([part.status, part.headers['content-range'], part.headers['content-length'], part.body.toString()]).toEqual([
        206,
        `bytes 10-14/${size}`,
        '5',
        ARTIFACT.content.slice(10, 15),
      ]);
      expect((await get(`${path}/${artifact}`, { Range: `bytes=${size}-` })).status).toBe(416);
      expect((await get(`${path}/${artifact}`, { Range: 'bytes=0-1,3-4' })).status).toBe(400);
    }
  });

  it('come all in one zip, without what is not declared', async () => {
    for (const path of paths()) expect(await members(await get(`${path}/artifacts`))).toEqual([ARTIFACT.path]);
  });

  it.each([
    'Scripts/undeclared.sh',
    'Definitions/top.yaml',
    'Scripts/a%20b',
    '..',
    '../..',
    '../../../../../../etc/passwd',
    '%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '..%2f..%2f..%2fetc%2fpasswd',
    '%2fetc%2fpasswd',
    '/etc/passwd',
    'Scripts/a%20b/../a%20b/install.sh',
    './Scripts/a%20b/install.sh',
    'Scripts%5ca%20b%5cinstall.sh',
    'constructor',
    '__proto__',
    'a'.repeat(300),
  ])('are those that are declared, and nothing else is found: %s', async (path) => {
    for (const base of paths()) {
      const answer = await get(`${base}/artifacts/${path}`);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    }
  });

  it('are not asked for by half an escape or a NUL: 400', async () => {
    for (const path of [...paths(), `${ROOT}/onboarded_vnf_packages/a%00b`])
      for (const wrong of ['%E0%A4%A', `${encodeURI(ARTIFACT.path)}%00`])
        expect((await get(`${path}/artifacts/${wrong}`)).status).toBe(400);
  });
});

describe('packages by their VNFD (conformance 12)', () => {
  it('are shown as they are by their id, and only while ONBOARDED', async () => {
    const [byId, byVnfd] = paths();
    const { data } = await system.api.get<JsonObject>(byVnfd);
    expect(data).toEqual((await system.api.get<JsonObject>(byId)).data);
    expect(schemaErrors('VnfPkgInfo', data)).toEqual([]);
    expect(data).toMatchObject({ id, vnfdId, onboardingState: 'ONBOARDED', usageState: 'NOT_IN_USE' });
    const list = await system.api.get<JsonObject[]>(`${ROOT}/onboarded_vnf_packages`);
    expect(schemaErrors('VnfPkgsInfo', list.data)).toEqual([]);
    expect(list.data.map(({ vnfdId: each }) => each).sort()).toEqual([vnfdId, several.vnfdId].sort());
    const filtered = await system.api.get<JsonObject[]>(
      `${ROOT}/onboarded_vnf_packages?filter=(eq,vnfdId,${vnfdId})&fields=checksum`,
    );
    expect(filtered.data).toEqual([
      expect.objectContaining({ id, checksum: { algorithm: 'SHA-512', hash: expect.any(String) as string } }),
    ]);
  });

  it.each(['', '/package_content', '/vnfd', '/artifacts', '/artifacts/x'])(
    'are 404 where there is none, whatever it is called: %s',
    async (resource) => {
      for (const unknown of ['00000000-0000-4000-8000-000000000000', 'no-uuid', '%2e%2e', "'%3b%20--", empty]) {
        const answer = await get(`${ROOT}/onboarded_vnf_packages/${unknown}${resource}`);
        expect([unknown, answer.status]).toEqual([unknown, 404]);
      }
    },
  );

  it.each(['', '/package_content', '/vnfd', '/artifacts', `/artifacts/${encodeURI(ARTIFACT.path)}`])(
    'of another project are not there: %s',
    async (resource) => {
      for (const path of paths()) expect((await stranger.api.get(`${path}${resource}`)).status).toBe(404);
      expect((await stranger.api.get(`${ROOT}/onboarded_vnf_packages`)).data).toEqual([]);
    },
  );
});

describe('methods of packages (conformance 1, 14)', () => {
  it.each([
    ['vnf_packages', ['GET', 'POST']],
    ['vnf_packages/:id', ['GET', 'PATCH', 'DELETE']],
    ['vnf_packages/:id/package_content', ['GET', 'PUT']],
    ['vnf_packages/:id/vnfd', ['GET']],
    ['vnf_packages/:id/artifacts', ['GET']],
    ['vnf_packages/:id/artifacts/a/b', ['GET']],
    ['onboarded_vnf_packages', ['GET']],
    ['onboarded_vnf_packages/:vnfdId', ['GET']],
    ['onboarded_vnf_packages/:vnfdId/package_content', ['GET']],
    ['onboarded_vnf_packages/:vnfdId/vnfd', ['GET']],
    ['onboarded_vnf_packages/:vnfdId/artifacts', ['GET']],
    ['onboarded_vnf_packages/:vnfdId/artifacts/a/b', ['GET']],
  ])('that %s has not are 405 with Allow', async (pattern, allowed) => {
    const path = `${ROOT}/${pattern.replace(':id', id).replace(':vnfdId', vnfdId)}`;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !allowed.includes(each))) {
      const { status, headers } = await system.api.request({ method, url: path, data: {} });
      expect([method, status]).toEqual([method, 405]);
      expect(String(headers.allow).split(', ').sort()).toEqual([...allowed].sort());
    }
  });
});

describe('queries of packages (conformance 3, 5)', () => {
  it('leave out softwareImages, additionalArtifacts and userDefinedData by default', async () => {
    for (const list of ['vnf_packages', 'onboarded_vnf_packages']) {
      const { data } = await system.api.get<JsonObject[]>(`${ROOT}/${list}`);
      for (const each of data)
        for (const name of ['softwareImages', 'additionalArtifacts', 'userDefinedData']) expect(each).not.toHaveProperty(name);
      const whole = await system.api.get<JsonObject[]>(`${ROOT}/${list}?all_fields`);
      const mine = whole.data.find((each) => each.id === id);
      expect(mine?.additionalArtifacts).toEqual([
        { artifactPath: ARTIFACT.path, checksum: { algorithm: 'SHA-256', hash: expect.any(String) as string }, metadata: {} },
      ]);
      expect(schemaErrors('VnfPkgsInfo', whole.data)).toEqual([]);
    }
  });

  it.each([
    'attribute_not_exist=x',
    'filter=(like,id,x)',
    'filter=(eq,nothing,x)',
    'fields=id&exclude_fields=checksum',
    'all_fields&fields=id',
    'nextpage_opaque_marker=none-of-ours',
    'nextpage_opaque_marker=%00',
  ])('are refused with 400: %s', async (query) => {
    for (const list of ['vnf_packages', 'onboarded_vnf_packages']) {
      const answer = await get(`${ROOT}/${list}?${query}`);
      expect(answer.status).toBe(400);
      expect(schemaErrors('ProblemDetails', problemOf(answer))).toEqual([]);
    }
  });
});

describe('an archive that is hostile', () => {
  it('is refused, the reason is readable, and nothing of it can be read', async () => {
    const escaping = zipOf({ ...smallestPackage(), '../outside.sh': 'x' });
    const shown = await onboardZip(system.api, escaping);
    expect(shown).toMatchObject({
      onboardingState: 'CREATED',
      onboardingFailureDetails: { status: 422, code: 'csar.member-name' },
    });
    expect(schemaErrors('VnfPkgInfo', shown)).toEqual([]);
    expect((await get(`${ROOT}/vnf_packages/${String(shown.id)}/artifacts/..%2foutside.sh`)).status).toBe(409);
  });
});
