import { randomUUID } from 'node:crypto';
import { routesOf, type Route } from '@windlass/lcm-api';
import { schemaErrors } from '@windlass/sol003/schemas';
import type { AxiosResponse } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onboard, startSystem, type System } from '../support/system.js';

/** What SOL003 and SOL013 ask of every resource (../shared/spec/conformance-demands.md 1 to 4 and 16), of each route of the decorators. */
let system: System;

beforeAll(async () => {
  system = await startSystem();
});

afterAll(() => system.close());

const routes = routesOf();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];
/** A path of a resource, of something that is not there. */
const pathOf = ({ pattern }: Pick<Route, 'pattern'>): string =>
  pattern.replaceAll(/[:*]\w+/g, randomUUID()).replace(/^\/v1\.0.*/, '$&.json');
/** v2 wants its version named. */
const versionFor = (url: string): Record<string, string> => (url.startsWith('/vnflcm/v2/') ? { Version: '2.0.0' } : {});
const ask = (method: string, url: string, headers: Record<string, string> = {}): Promise<AxiosResponse<unknown>> =>
  system.api.request({ method, url, headers: { ...versionFor(url), ...headers } });

/** A refusal as conformance wants it: ProblemDetails with status and detail. */
function expectProblem({ status, data, headers }: AxiosResponse<unknown>, expected: number, legacy = false): void {
  expect(status).toBe(expected);
  if (legacy) {
    expect(data).toMatchObject({ TackerError: { message: expect.any(String) as string } });
    return;
  }
  expect(headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(data).toMatchObject({ status: expected, detail: expect.stringMatching(/./) as string });
  expect(schemaErrors('ProblemDetails', data)).toEqual([]);
}

const isLegacy = ({ pattern }: Pick<Route, 'pattern'>): boolean => pattern.startsWith('/v1.0');
const resources = [...new Map(routes.all.map((route) => [route.pattern, route])).values()];
const isEtsi = ({ pattern }: Pick<Route, 'pattern'>): boolean => pattern.startsWith('/vnf');

type Named = readonly [pattern: string, route: Route, path: string, has: readonly string[]];
const named = resources.map((route): Named => {
  const path = pathOf(route);
  return [route.pattern, route, path, routes.methodsOf(path) ?? []];
});

describe('every resource', () => {
  it.each(named)('%s answers 405 with Allow to each method that it does not have', async (_pattern, route, path, has) => {
    expect(has.length).toBeGreaterThan(0);
    for (const method of METHODS.filter((each) => !has.includes(each))) {
      const answer = await ask(method, path);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, has.join(', ')]);
      if (method !== 'HEAD') expectProblem(answer, 405, isLegacy(route));
    }
  });

  it.each(named.filter(([, route, , has]) => has.includes('GET') && !isLegacy(route)))(
    '%s answers 400 to a query parameter that there is not, naming it',
    async (_pattern, _route, path) => {
      const answer = await ask('GET', `${path}?attribute_not_exist=x`);
      expectProblem(answer, 400);
      expect(answer.data).toMatchObject({ detail: expect.stringContaining('attribute_not_exist') as string });
    },
  );

  it.each(named.filter(([, route]) => isEtsi(route)))(
    '%s carries its Version in every answer, and refuses another one with 406',
    async (_pattern, _route, path, [method = '']) => {
      for (const each of METHODS) {
        const answer = await ask(each, path);
        expect([each, answer.headers.version]).toEqual([each, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
      }
      const answer = await ask(method, path, { Version: '99.0.0' });
      expect(answer.headers.version).toMatch(/^\d+\.\d+\.\d+$/);
      if (path.endsWith('/api_versions')) expect(answer.status).toBe(200);
      else expectProblem(answer, 406);
    },
  );
});

describe('what is no resource', () => {
  it.each(['/vnflcm/v1', '/vnflcm/v1/vnf_instances/x/fly', '/vnflcm/v9/vnf_instances', '/vnflcm', '/nothing'])(
    '%s is 404 with every method',
    async (path) => {
      for (const method of METHODS.filter((each) => each !== 'HEAD')) expectProblem(await ask(method, path), 404);
    },
  );

  it('has a version where it lies below an API of the standard', async () => {
    expect((await ask('GET', '/vnflcm/v1/nothing')).headers.version).toBe('1.3.0');
    expect((await ask('GET', '/vnfpkgm/nothing')).headers.version).toBe('1.2.0');
  });
});

describe('the versions of an API', () => {
  const VERSIONS = ['/vnflcm/api_versions', '/vnflcm/v1/api_versions', '/vnfpkgm/api_versions', '/vnfpkgm/v1/api_versions'];
  it.each(VERSIONS)('are told at %s, whatever version is asked for', async (path) => {
    for (const headers of [{}, { Version: '2.0.0' }, { Version: 'newest' }]) {
      const { status, data } = await ask('GET', path, headers as Record<string, string>);
      expect(status).toBe(200);
      expect(schemaErrors('ApiVersionInformation', data)).toEqual([]);
    }
  });

  it('need not be named, nor by the command line’s package calls', async () => {
    for (const path of ['/vnflcm/v1/vnf_instances', '/vnfpkgm/v1/vnf_packages']) {
      expect((await ask('GET', path)).status).toBe(200);
      expect((await ask('GET', path, { Version: 'newest' })).status).toBe(400);
    }
    expect((await ask('GET', '/vnflcm/v1/vnf_instances', { Version: '1.3.0-impl:example.org:7' })).status).toBe(200);
  });
});

const lists = routes.all.filter(({ query }) => query !== undefined && 'excludedByDefault' in query);

describe.each(lists.map((route) => [route.pattern, route] as const))('the list %s', (path) => {
  it.each([
    'filter=(like,id,x)',
    'filter=(eq,attribute_not_exist,x)',
    'filter=(eq,id',
    'filter=',
    'fields=id&exclude_fields=_links',
    'all_fields&fields=id',
    'all_fields&exclude_default',
    'fields=attribute_not_exist',
    'exclude_fields=attribute_not_exist',
    'nextpage_opaque_marker=%E0%A4%A',
    'nextpage_opaque_marker=%FF',
    'nextpage_opaque_marker=%00',
    'nextpage_opaque_marker=',
    'nextpage_opaque_marker=a&nextpage_opaque_marker=b',
    'filter=(eq,id,%00)',
    '%zz=1',
    'all_records=perhaps',
  ])('answers 400 to ?%s', async (query) => expectProblem(await ask('GET', `${path}?${query}`), 400));

  it.each(['nextpage_opaque_marker=x', "nextpage_opaque_marker=';--", 'nextpage_opaque_marker=%F0%9F%92%A5'])(
    'answers ?%s, which is no marker of its own, with 200 or 400',
    async (query) => expect([200, 400]).toContain((await ask('GET', `${path}?${query}`)).status),
  );

  it.each(['all_fields', 'fields=id', 'exclude_default'])('takes ?%s', async (query) => {
    const { status, data } = await ask('GET', `${path}?${query}`);
    expect([status, Array.isArray(data)]).toEqual([200, true]);
  });
});

describe('a filter of the VIMs that is empty', () => {
  it.each(['id=', 'name=', 'id=&name=x'])('finds none: ?%s', async (query) => {
    const { status, data } = await ask('GET', `/v1.0/vims.json?${query}`);
    expect([status, data]).toEqual([200, { vims: [] }]);
  });
});

describe('a body that is not packed as it says', () => {
  it('is 400', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    expectProblem(await system.api.post('/vnfpkgm/v1/vnf_packages', '{}', { headers }), 400);
  });
});

describe('a path whose percent-encoding is broken', () => {
  it.each(['/vnflcm/v1/vnf_instances/%zz', '/vnflcm/v1/vnf_instances/%E0%A4%A', '/vnflcm/v1/vnf_lcm_op_occs/%00'])(
    '%s is 400',
    async (path) => expectProblem(await ask('GET', path), 400),
  );
});

describe('text that no database keeps', () => {
  it.each([
    ['POST', '/vnfpkgm/v1/vnf_packages', { userDefinedData: { a: ['b', 'x\0y'] } }, '/userDefinedData/a/1'],
    ['POST', '/vnfpkgm/v1/vnf_packages', { userDefinedData: { 'a\0': 1 } }, '/userDefinedData'],
    ['POST', '/vnfpkgm/v1/vnf_packages', { userDefinedData: { a: '\ud800' } }, '/userDefinedData/a'],
    ['POST', '/v1.0/vims', { vim: { name: 'a\0', auth_url: 'http://h' } }, '/vim/name'],
    ['POST', '/windlass/v1/enrolment_tokens', { service: 'k8s\0' }, '/service'],
  ])('%s %s is 400 with its path: %j', async (method, url, data, path) => {
    const answer = await system.api.request<unknown>({ method, url, data, headers: versionFor(url) });
    expectProblem(answer, 400, url.startsWith('/v1.0'));
    expect(JSON.stringify(answer.data)).toContain(path);
  });

  it('in metadata of an instance is 400 with its path', async () => {
    const { vnfdId } = await onboard(system.api, 'simple-vm');
    const answer = await system.api.post<unknown>('/vnflcm/v1/vnf_instances', { vnfdId, metadata: { a: '\0' } });
    expectProblem(answer, 400);
    expect(answer.data).toMatchObject({ invalidParams: [{ path: '/metadata/a' }] });
  });
});
