import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { Ajv } from 'ajv';
import { AUDIT, OPERATION, STEP } from '@windlass/lcm-api';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inState, instantiate, startReplica, stepsOf } from '../observability/support/replicas.js';
import { onboard, registerVim, startSystem, type System } from '../support/system.js';

const PROJECT = join(import.meta.dirname, '../../apps/dashboard');
/** What the first page may be, by gzip. */
const FIRST_PAGE_BYTES = 200_000;

let system: System;
const nobody = { headers: { 'X-Auth-Token': null }, responseType: 'text' as const };
const get = (path: string) => system.api.get<string>(path, nobody);

beforeAll(async () => {
  execFileSync('node', [join(PROJECT, 'build.mjs')]);
  system = await startSystem();
});
afterAll(() => system.close());

describe('the files of the dashboard', () => {
  it('come to everybody, with a policy that lets nothing else in; those whose names change with them may be kept for ever', async () => {
    const page = await get('/ui');
    expect(page.status).toBe(200);
    const [script, styles] = [
      /src="([^"]+)"/.exec(page.data)?.[1] ?? '',
      /rel="stylesheet" href="([^"]+)"/.exec(page.data)?.[1] ?? '',
    ];
    for (const path of ['/ui', '/ui/', script, styles]) {
      const { status, headers } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      const policy = String(headers['content-security-policy']);
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
        expect(policy.split('; ')).toContain(part);
      expect(policy).not.toContain('unsafe');
      expect([headers['x-content-type-options'], headers['referrer-policy'], headers['set-cookie']]).toEqual([
        'nosniff',
        'no-referrer',
        undefined,
      ]);
      expect(headers['cache-control']).toBe(
        path.startsWith('/ui/m') || path.startsWith('/ui/s') ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    }
    // Nothing inline, and nothing of another host.
    expect(page.data).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=|https?:/);
  });

  it('are those that its build made: nothing else of the machine comes, whatever is asked for', async () => {
    const { manifest, paths } = {
      manifest: '/ui/manifest.json',
      paths: ['..%2fmanifest.json', '..%2f..%2fpackage.json', 'constructor', 'a%00.js', 'main.js'],
    };
    for (const path of [manifest, ...paths.map((each) => `/ui/${each}`)]) {
      const { status, data } = await get(path);
      expect([path, [400, 404].includes(status), data.includes('"script"')]).toEqual([path, true, false]);
    }
    expect((await system.api.post('/ui')).status).toBe(405);
  });

  it('are at most 200 kB on their way, all together, to whoever takes gzip, and the same to whoever does not', async () => {
    const { files } = JSON.parse(readFileSync(join(PROJECT, 'dist/ui/manifest.json'), 'utf8')) as { files: string[] };
    let whole = 0;
    for (const name of files.filter((each) => !each.endsWith('.gz'))) {
      const raw = { ...nobody, decompress: false, responseType: 'arraybuffer' as const };
      const sent = async (encoding: string) => {
        const headers = { ...nobody.headers, 'Accept-Encoding': encoding };
        return system.api.get<Buffer>(`/ui/${name}`, { ...raw, headers });
      };
      const [packed, plain] = [await sent('gzip, br'), await sent('identity')];
      expect([packed.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['gzip', undefined]);
      expect([packed.headers.vary, plain.headers.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
      expect(gunzipSync(packed.data).equals(plain.data)).toBe(true);
      whole += packed.data.length;
    }
    expect(whole).toBeGreaterThan(10_000);
    expect(whole).toBeLessThanOrEqual(FIRST_PAGE_BYTES);
  });

  it('ask for themselves below the path of the public URL', async () => {
    const replica = await startReplica(system, { more: { publicUrl: 'https://vnfm.example/nfv' } });
    try {
      const { data } = await replica.api.get<string>('/ui');
      expect(data).toContain('data-root="/nfv"');
      expect(data).toMatch(/src="\/nfv\/ui\/main-\w+\.js"/);
    } finally {
      await replica.stop();
    }
  });
});

describe('what the dashboard is told', () => {
  it('is whom the API takes one for', async () => {
    const { data } = await system.api.get<unknown>('/windlass/v1/identity');
    expect(data).toEqual({ user: 'admin', project: 'default', roles: ['admin'] });
    expect((await get('/windlass/v1/identity')).status).toBe(401);
  });

  it('are steps and operations as the OpenAPI document says, from which its types are made', async () => {
    await registerVim(system);
    const { vnfdId } = await onboard(system.api, 'simple-vm');
    const { operationId } = await instantiate(system.api, vnfdId);
    await inState(system.api, operationId, 'COMPLETED');
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const steps = await stepsOf(system.api, operationId);
    expect(steps.length).toBeGreaterThan(3);
    for (const step of steps) expect([ajv.validate(STEP, step), ajv.errorsText()]).toEqual([true, 'No errors']);
    const { data } = await system.api.get<unknown>(`/windlass/v1/operations/${operationId}`);
    expect([ajv.validate(OPERATION, data), ajv.errorsText()]).toEqual([true, 'No errors']);
  });

  it('is an audit’s report as the OpenAPI document says, with no member that it does not name', async () => {
    const begun = await system.api.post('/windlass/v1/audits', {});
    const path = new URL(String(begun.headers.location)).pathname;
    const audit = await waitUntil(
      async (seen) => {
        const { data } = await system.api.get<JsonObject>(path);
        seen(String(data.state));
        return data.state === 'PENDING' ? undefined : data;
      },
      { for: 'the audit', within: seconds(60), every: seconds(0.2) },
    );
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    expect([ajv.validate(AUDIT, audit), ajv.errorsText()]).toEqual([true, 'No errors']);
    const { anyOf } = (AUDIT.properties as JsonObject).report as { anyOf: [{ properties: JsonObject }] };
    expect(Object.keys(audit.report as JsonObject).sort()).toEqual(Object.keys(anyOf[0].properties).sort());
  });
});
