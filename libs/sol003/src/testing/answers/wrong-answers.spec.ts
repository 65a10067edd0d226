import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vnfInstanceLinks } from '../../rendering/links.js';
import { sampleInstance } from '../samples.js';
import { answerErrors, type SentAnswer } from './answer-errors.js';
import { notificationErrors } from './notification-errors.js';
import { watchAnswers } from './watched-servers.js';

const ROOT = 'http://host/vnflcm/v1';
const instance = { ...sampleInstance(), _links: vnfInstanceLinks(ROOT, 'x') };
const JSON_V1 = { version: '1.3.0', 'content-type': 'application/json; charset=utf-8' };
const PROBLEM = { version: '1.3.0', 'content-type': 'application/problem+json' };

const answer = (more: Partial<Omit<SentAnswer, 'body'>> & { body?: unknown } = {}): SentAnswer => ({
  method: 'GET',
  url: '/vnflcm/v1/vnf_instances/x',
  status: 200,
  headers: JSON_V1,
  ...more,
  body: typeof more.body === 'string' ? more.body : JSON.stringify('body' in more ? more.body : instance),
});

const wrong = (more: Parameters<typeof answer>[0]): string => answerErrors(answer(more)).join('\n');

describe('an answer of the REST API', () => {
  it('is right by its schema, its media type, its status and its headers', () => {
    expect(answerErrors(answer())).toEqual([]);
    expect(answerErrors(answer({ url: '/vnflcm/v1/vnf_instances?filter=(eq,id,x)', body: [instance] }))).toEqual([]);
    const problem = { status: 404, detail: 'there is none' };
    expect(answerErrors(answer({ status: 404, headers: PROBLEM, body: problem }))).toEqual([]);
    const task = { method: 'POST', url: '/vnflcm/v1/vnf_instances/x/heal', status: 202, body: '' };
    expect(answerErrors(answer({ ...task, headers: { ...JSON_V1, location: 'http://host/x' } }))).toEqual([]);
  });

  it.each([
    ['with an attribute of another type', { body: { ...instance, vnfdVersion: 3 } }, '/vnfdVersion must be string'],
    ['without a mandatory one', { body: { ...instance, vnfdId: undefined } }, "must have required property 'vnfdId'"],
    ['of another status', { status: 203 }, 'expected status 200'],
    ['of another media type', { headers: { ...JSON_V1, 'content-type': 'text/html' } }, 'expected application/json'],
    ['without its version', { headers: { ...JSON_V1, version: undefined } }, 'Version: expected 1.3.0'],
    ['that is no JSON', { body: '{' }, 'the body is no JSON'],
    ['that no rule is about', { url: '/vnflcm/v1/vnf_instances/x/new', status: 200 }, 'no rule'],
    [
      'that is accepted without a Location',
      { method: 'POST', url: '/vnflcm/v1/vnf_instances/x/heal', status: 202, body: '' },
      'no location header',
    ],
    ['that has a body where there is none', { method: 'DELETE', status: 204, body: '{}' }, 'expected no body'],
    ['that is an error as plain JSON', { status: 404, body: { status: 404, detail: 'x' } }, 'expected application/problem+json'],
    ['that is an error without a detail', { status: 404, headers: PROBLEM, body: { status: 404 } }, "property 'detail'"],
    ['that is an error of two statuses', { status: 409, headers: PROBLEM, body: { status: 404, detail: 'x' } }, '/status is 404'],
    ['that refuses a method and names none', { status: 405, headers: PROBLEM, body: { status: 405, detail: 'x' } }, 'Allow'],
    ['of the legacy API as ProblemDetails', { url: '/v1.0/vims/x.json', status: 404, body: { status: 404 } }, 'TackerError'],
    ['of our own that is no JSON', { url: '/windlass/v1/events', body: '{' }, 'no JSON'],
  ])('%s is wrong', (_, more, error) => expect(wrong(more)).toContain(error));
});

describe('a notification', () => {
  it('is held against the schema of its type', () => {
    expect(notificationErrors({ notificationType: 'Other' }).join()).toContain('no schema');
    expect(notificationErrors({ notificationType: 'VnfIdentifierCreationNotification' }).join()).toContain("property 'id'");
  });
});

describe('a watched server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-watched-'));
  const file = join(folder, 'wrong');
  let server: Server;
  let respond: (response: ServerResponse) => void;
  let unwatch: () => void;
  beforeAll(async () => {
    unwatch = watchAnswers(file);
    server = createServer((_, response) => respond(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    unwatch();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const ask = async (path: string): Promise<string> => {
    rmSync(file, { force: true });
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text();
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  it('has told what is wrong before the client has the end of the answer', async () => {
    respond = (response) => response.writeHead(200, JSON_V1).end(JSON.stringify({ ...instance, id: 1 }));
    expect(await ask('/vnflcm/v1/vnf_instances/x?y=1')).toBe(
      'GET /vnflcm/v1/vnf_instances/x?y=1 -> 200: VnfInstance: /id must be string {"type":"string"}\n',
    );
  });

  it('sees an answer that is written piece by piece, and passes over paths of other servers', async () => {
    const halves = [JSON.stringify(instance).slice(0, 50), JSON.stringify(instance).slice(50)];
    respond = (response) => {
      for (const [name, value] of Object.entries(JSON_V1)) response.setHeader(name, value);
      response.write(halves[0]);
      response.end(halves[1]);
    };
    expect(await ask('/vnflcm/v1/vnf_instances/x')).toBe('');
    expect(await ask('/v3/auth/tokens')).toBe('');
  });
});
