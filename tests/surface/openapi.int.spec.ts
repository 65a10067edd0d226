import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { openApiDocument, routesOf } from '@windlass/lcm-api';
import { OPERATIONS } from '@windlass/lifecycle';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSystem, type System } from '../support/system.js';

const COMMITTED = join(import.meta.dirname, '../../docs/contracts/openapi.json');

let system: System;
let served: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  served = (await system.api.get<JsonObject>('/docs/openapi.json')).data;
});

afterAll(() => system.close());

const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Every member of that name, wherever it stands. */
function membersNamed(name: string, within: Json | undefined): Json[] {
  if (Array.isArray(within)) return within.flatMap((each) => membersNamed(name, each));
  if (!isJsonObject(within)) return [];
  return Object.entries(within).flatMap(([key, value]) => [
    ...(key === name ? [value ?? null] : []),
    ...membersNamed(name, value),
  ]);
}

describe('the OpenAPI document', () => {
  it('is a document of OpenAPI 3.1, by a validator of its own', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(served));
    expect(errors).toBeUndefined();
    expect([valid, validator.version]).toEqual([true, '3.1']);
  });

  it('that is committed is the one that the code makes (UPDATE_OPENAPI=1 writes it anew)', async () => {
    const made = plain(openApiDocument(routesOf()));
    const text = `${JSON.stringify(made, null, 2)}\n`;
    if (process.env.UPDATE_OPENAPI !== undefined) await writeFile(COMMITTED, text);
    expect(await readFile(COMMITTED, 'utf8')).toBe(text);
  });

  it('that is served differs from it in where the API is found alone', () => {
    const made = plain(openApiDocument(routesOf(), { server: system.api.defaults.baseURL ?? '' }));
    expect(served).toEqual(made);
  });

  it('has every route once, with an id of its own, and every reference leads somewhere', () => {
    const operations = membersNamed('operationId', served);
    expect(operations.length).toBe(routesOf().all.length);
    expect(new Set(operations).size).toBe(operations.length);
    for (const pointer of membersNamed('$ref', served).map(String)) {
      const found = pointer
        .split('/')
        .slice(1)
        .reduce<Json | undefined>((here, name) => (isJsonObject(here) ? here[name] : undefined), served);
      expect([pointer, isJsonObject(found)]).toEqual([pointer, true]);
    }
  });

  it.each(OPERATIONS.all)('has $operation by its row in the table of operations', ({ route, body }) => {
    const path = `/vnflcm/v1/vnf_instances/{id}${route.method === 'POST' ? `/${route.task}` : ''}`;
    const entry = (served.paths as Record<string, Record<string, JsonObject>>)[path]?.[route.method.toLowerCase()];
    expect(membersNamed('$ref', entry?.requestBody)).toContain(`#/components/schemas/${body.name.replace(/Body$/, '')}`);
  });

  it('needs credentials, and so does the page that shows it', async () => {
    for (const path of ['/docs', '/docs/openapi.json', '/docs/page.js', '/docs/swagger-ui.css'])
      expect((await system.api.get(path, { headers: { 'X-Auth-Token': null } })).status).toBe(401);
  });

  it('is shown by a page that needs nothing from elsewhere, and lets nothing in', async () => {
    const page = await system.api.get<string>('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.data).not.toMatch(/https?:|<script>|<style|style=|onload/);
    const parts = [...page.data.matchAll(/(?:src|href|data-document)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(parts.length).toBe(4);
    for (const path of parts) expect([path, (await system.api.get(path)).status]).toEqual([path, 200]);
    expect((await system.api.get('/docs/package.json')).status).toBe(404);
    expect((await system.api.get('/docs/..%2fpackage.json')).status).toBe(404);
  });
});
