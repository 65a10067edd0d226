import { connect } from 'node:net';
import { Secret, type JsonObject } from '@windlass/foundation';
import { Authentication, startLcmApi, staticToken } from '@windlass/lcm-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, onboard, registerVim, startSystem, type System } from '../support/system.js';

const TOKEN = 'test-token';
const EVIL = 'evil.example';

let system: System;
let proxied: Awaited<ReturnType<typeof startLcmApi>>;
/** Paths whose answers have links, `Location` or `Link`. */
const paths: string[] = [];
let vnf: string;
let pkg: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  const { link, database, masterKeys, policy, api } = system;
  proxied = await startLcmApi({
    link,
    database,
    masterKeys,
    policy,
    authentication: new Authentication({
      ways: [staticToken(new Secret(TOKEN), { tenant: 'default', user: 'admin', roles: ['admin'] })],
    }),
    host: '127.0.0.1',
    port: 0,
    publicUrl: 'https://vnfm.example/nfv',
    maxPackageBytes: 1024,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  await registerVim(system);
  pkg = await onboard(api, 'simple-vm');
  const made = await api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId: pkg.vnfdId });
  vnf = `/vnflcm/v1/vnf_instances/${String(made.data.id)}`;
  const modified = await api.patch(vnf, { vnfInstanceName: 'first' });
  await atRest(api, modified);
  const opOcc = new URL(String(modified.headers.location)).pathname;
  // So many that a list has a second page.
  for (let i = 0; i < 100; i++) await api.post('/vnfpkgm/v1/vnf_packages', {});
  paths.push('/', vnf, '/vnflcm/v1/vnf_instances', opOcc, '/vnflcm/v1/vnf_lcm_op_occs');
  paths.push(`/vnfpkgm/v1/vnf_packages/${String(pkg.id)}`, '/vnfpkgm/v1/vnf_packages', '/vnflcm/v1/api_versions');
  paths.push('/vnflcm/v1/vnf_instances/none', '/nothing');
});

afterAll(async () => {
  await proxied.stop();
  await system.close();
});

interface Raw {
  target: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: object;
}

/** A request as it is written here, byte by byte, and the whole answer; what differs from one to the next anyhow is taken out. */
function raw(url: string, { target, method = 'GET', headers = {}, body }: Raw): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const content = body === undefined ? '' : JSON.stringify(body);
  const sent = {
    Host: host,
    'X-Auth-Token': TOKEN,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(content)),
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${content}`),
    );
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (answer += part));
    socket.on('end', () => resolve(answer.replace(/^(Date|X-Request-Id): .*\r\n/gim, '')));
    socket.on('error', reject);
  });
}

const FORGED: readonly Readonly<Record<string, string>>[] = [
  { Host: EVIL },
  { Host: `${EVIL}:1/x?y#z` },
  { 'X-Forwarded-Host': EVIL, 'X-Forwarded-Proto': 'https', 'X-Forwarded-Prefix': `/${EVIL}`, 'X-Forwarded-Port': '1' },
  { Forwarded: `host=${EVIL};proto=https` },
  { Host: EVIL, 'X-Forwarded-Host': EVIL, 'X-Original-Host': EVIL, 'X-Host': EVIL },
];

describe('a forged Host header', () => {
  it('changes nothing in any answer', async () => {
    for (const url of [system.api.defaults.baseURL ?? '', proxied.url]) {
      for (const target of paths) {
        const honest = await raw(url, { target });
        for (const headers of FORGED) expect(await raw(url, { target, headers }), target).toBe(honest);
      }
    }
  });

  it('in the request line changes nothing either', async () => {
    for (const url of [system.api.defaults.baseURL ?? '', proxied.url]) {
      for (const target of paths) {
        const answer = await raw(url, { target: `http://${EVIL}${target}`, headers: { Host: EVIL } });
        expect(answer).toBe(await raw(url, { target }));
      }
    }
  });

  it('does not come into Location', async () => {
    const { url } = proxied;
    const headers = { Host: EVIL, 'X-Forwarded-Host': EVIL };
    const root = 'https://vnfm.example/nfv';
    const asked: [Raw, string][] = [
      [{ target: '/vnflcm/v1/vnf_instances', body: { vnfdId: pkg.vnfdId } }, `${root}/vnflcm/v1/vnf_instances/`],
      [{ target: vnf, method: 'PATCH', body: { vnfInstanceName: 'other' } }, `${root}/vnflcm/v1/vnf_lcm_op_occs/`],
      [{ target: '/vnfpkgm/v1/vnf_packages', body: {} }, `${root}/vnfpkgm/v1/vnf_packages/`],
      [{ target: '/windlass/v1/audits', body: {} }, `${root}/windlass/v1/audits/`],
    ];
    for (const [request, location] of asked) {
      const answer = await raw(url, { method: 'POST', ...request, headers });
      expect(answer).toContain(`\r\nLocation: ${location}`);
      expect(answer).not.toContain(EVIL);
    }
  });
});

describe('links of answers', () => {
  it('begin with where the API listens, unless it was told where clients find it', async () => {
    const own = system.api.defaults.baseURL ?? '';
    expect(await raw(own, { target: vnf, headers: { Host: EVIL } })).toContain(`"self":{"href":"${own}${vnf}"}`);
    expect(await raw(proxied.url, { target: vnf })).toContain(`"self":{"href":"https://vnfm.example/nfv${vnf}"}`);
  });

  it('keep the path that a proxy puts before ours, next pages and the legacy list too', async () => {
    const link = `Link: </nfv/vnfpkgm/v1/vnf_packages?all_fields&nextpage_opaque_marker=`;
    expect(await raw(proxied.url, { target: '/vnfpkgm/v1/vnf_packages?all_fields' })).toContain(link);
    expect(await raw(proxied.url, { target: '/' })).toContain('"href":"/nfv/v1.0"');
    const opOcc = paths.find((path) => path.includes('/vnf_lcm_op_occs/')) ?? '';
    const steps = `https://vnfm.example/nfv/windlass/v1/operations/${opOcc.split('/').at(-1) ?? ''}/steps`;
    expect(await raw(proxied.url, { target: opOcc })).toContain(`<${steps}>; rel="urn:windlass:rel:steps"`);
  });
});
