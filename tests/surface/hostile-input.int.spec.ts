import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { routesOf } from '@windlass/lcm-api';
import fc from 'fast-check';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testSeed } from '../support/seed.js';
import { createVnf, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';
import { requestsTo, routesIn } from './support/hostile-requests.js';
import { jsonOf, rawRequest, type RawAnswer, type RawRequest } from './support/raw-request.js';

/** Requests to each route; HOSTILE_REQUESTS=500 for a long night. */
const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 12);
/** The same requests again: HOSTILE_SEED=<the number that a failure named>. */
const SEED = Number(process.env.HOSTILE_SEED ?? testSeed());

let system: System;
let document: JsonObject;
let port: number;
const known: string[] = ['x'];
const logged: string[] = [];

beforeAll(async () => {
  const error = (message: string, fields: object = {}): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  system = await startSystem({ log: { ...quiet, error } });
  port = Number(new URL(String(system.api.defaults.baseURL)).port);
  document = (await system.api.get<JsonObject>('/docs/openapi.json')).data;
  known.push(await registerVim(system));
  const { id, vnfdId } = await onboard(system.api, 'simple-vm');
  known.push(String(id), String(vnfdId));
  const vnf = await createVnf(system.api, vnfdId);
  const accepted = await system.api.post(`${vnf}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0'));
  known.push(vnf.split('/').at(-1) ?? '', String(accepted.headers.location).split('/').at(-1) ?? '');
  known.push((await createVnf(system.api, vnfdId)).split('/').at(-1) ?? '');
  console.info(`hostile requests: HOSTILE_SEED=${SEED} HOSTILE_REQUESTS=${REQUESTS}`);
});

afterAll(() => system.close());

/** What no answer may hold: frames of a stack, names of our classes and of the database's messages, paths of our files. */
const INTERNAL =
  /\n\s+at |node_modules|file:\/\/\/|\/(?:src|dist)\/|QueryFailed|TypeError|RangeError|SyntaxError|invalid byte sequence|syntax error at|relation "|column "|ECONNREFUSED.*5432/;

/** A name that our requests carry: an answer that quotes it gives nothing of ours away. */
const QUOTED = /file:\/\/\/etc\/passwd/g;

function faultsOf(request: RawRequest, answer: RawAnswer | undefined): string[] {
  // Without an answer: only where we hung up.
  if (answer === undefined) return request.cutAfter === undefined ? ['no answer'] : [];
  const { status, headers, text } = answer;
  const faults: string[] = [];
  if (status >= 500) faults.push(`status ${status}`);
  if (INTERNAL.test(text.replaceAll(QUOTED, '')) && status >= 400) faults.push('internals in the answer');
  if (status >= 400 && status < 500) faults.push(...problemFaults(request, answer));
  if (status < 300 && headers['content-type']?.startsWith('application/json') === true)
    faults.push(...typeFaults(request, answer));
  return faults;
}

function problemFaults({ method, target }: RawRequest, answer: RawAnswer): string[] {
  if (method === 'HEAD') return [];
  const path = target.replace(/^http:\/\/[^/]+/, '');
  const type = answer.headers['content-type'] ?? '';
  if (path.startsWith('/v1.0') && !type.startsWith('application/problem+json'))
    return isJsonObject(jsonOf(answer).TackerError) ? [] : ['no TackerError'];
  if (!type.startsWith('application/problem+json')) return [`a refusal of type "${type}"`];
  return schemaErrors('ProblemDetails', jsonOf(answer)).concat(
    jsonOf(answer).status === answer.status ? [] : ['another status in the body'],
  );
}

const routes = routesOf();
function typeFaults({ method, target }: RawRequest, answer: RawAnswer): string[] {
  const route = routes.find(method, target.replace(/^http:\/\/[^/]+/, '').replace(/\?.*$/s, ''));
  const type = route?.answers[answer.status]?.type;
  // A selector may leave out what the type wants.
  return type === undefined || target.includes('?') ? [] : schemaErrors(type, jsonOf(answer));
}

describe('whatever is sent', () => {
  it.each(routes.all.map(({ method, pattern }) => [method, pattern.replaceAll(/[:*](\w+)/g, '{$1}')] as const))(
    'to %s %s is never answered with a 500, nor with internals, and each refusal says why',
    async (method, path) => {
      const route = routesIn(document).find((each) => each.method === method && each.path === path);
      if (route === undefined) throw new Error(`the document has no ${method} ${path}`);
      await fc.assert(
        fc.asyncProperty(requestsTo(route, document, known), async (request) => {
          const answer = await rawRequest(port, request);
          const faults = faultsOf(request, answer);
          if (faults.length > 0) throw new Error(`${faults.join('; ')}: ${answer?.text.slice(0, 500)}`);
        }),
        { numRuns: REQUESTS, seed: SEED, endOnFailure: true },
      );
    },
    120_000,
  );
});

/** Bytes that are no request, as they are. */
const send = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('end', () => resolve(text)).on('error', reject);
  });

describe('what is no HTTP', () => {
  it.each([
    ['GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['nonsense\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x\r\nX-A: \x00\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%j is answered with ProblemDetails', async (bytes, status) => {
    const answer = await send(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('Content-Type: application/problem+json');
    expect(schemaErrors('ProblemDetails', JSON.parse(answer.split('\r\n\r\n')[1] ?? ''))).toEqual([]);
  });
});

describe('clients that stop in the middle of a body', () => {
  it('hold up nobody else, and what they began is not done', async () => {
    const before = (await system.api.get<unknown[]>('/vnfpkgm/v1/vnf_packages?all_records=yes')).data.length;
    const head =
      'POST /vnfpkgm/v1/vnf_packages HTTP/1.1\r\nHost: x\r\nX-Auth-Token: test-token\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"userDefinedData":';
    const stalled = Array.from({ length: 50 }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head));
      return socket.on('error', () => undefined);
    });
    for (let count = 0; count < 20; count += 1) expect((await system.api.get('/vnflcm/v1/vnf_instances')).status).toBe(200);
    for (const socket of stalled) socket.destroy();
    expect((await system.api.get<unknown[]>('/vnfpkgm/v1/vnf_packages?all_records=yes')).data.length).toBe(before);
  });
});

describe('a body that is made to be repeated', () => {
  /** A thousand faults, each at a place whose pointer is as long as the body has room for. */
  const body = (): Buffer => Buffer.from(JSON.stringify({ ['n'.repeat(290_000)]: Array.from({ length: 1_000 }, () => '\0') }));
  const headers = { 'X-Auth-Token': 'test-token', 'Content-Type': 'application/json' };

  it('makes no answer that is larger than its question', async () => {
    const answer = await rawRequest(port, { method: 'POST', target: '/vnflcm/v1/vnf_instances', headers, body: body() });
    expect(answer?.status).toBe(400);
    expect(answer?.text.length).toBeLessThan(60_000);
  });

  it('is not read where the route takes none', async () => {
    const answer = await rawRequest(port, { method: 'GET', target: '/vnflcm/v1/vnf_instances', headers, body: body() });
    expect(answer?.status).toBe(200);
  });
});

describe('afterwards', () => {
  it('the service answers, nothing was logged as an error of ours, and no connection to the database was lost or kept', async () => {
    for (const path of ['/vnflcm/v1/vnf_instances', '/vnfpkgm/v1/vnf_packages', '/v1.0/vims.json', '/windlass/v1/audit_trail'])
      expect([path, (await system.api.get(path)).status]).toEqual([path, 200]);
    expect(logged).toEqual([]);
    const open = await system.database.query<{ state: string }[]>(
      `SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '5 s'`,
    );
    expect(open).toEqual([]);
  });
});
