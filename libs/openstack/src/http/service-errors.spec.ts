import { Secret } from '@windlass/foundation';
import { processorTime } from '@windlass/foundation/testing';
import { describe, expect, it } from 'vitest';
import { serviceError } from './service-errors.js';

const SECRET = 'gAAAAAB-half-of-this-is-too-much';

const detailOf = (body: string | object, status = 400, service = 'Nova'): string =>
  serviceError(
    service,
    { method: 'POST', url: 'http://127.0.0.1:5000/v3/auth/tokens', secrets: [new Secret(SECRET)] },
    { status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) },
  ).message;

const SHAPES: [string, string, number, object][] = [
  ['Keystone', 'Keystone', 403, { error: { code: 403, title: 'Forbidden', message: 'it said so' } }],
  ['keystonemiddleware', 'Heat', 401, { error: { code: 401, title: 'Unauthorized', message: 'it said so' } }],
  ['Nova', 'Nova', 404, { itemNotFound: { code: 404, message: 'it said so' } }],
  ['Cinder', 'Cinder', 413, { overLimit: { code: 413, message: 'it said so', retryAfter: '0' } }],
  ['Neutron', 'Neutron', 409, { NeutronError: { type: 'OverQuota', message: 'it said so', detail: '' } }],
  [
    'Heat',
    'Heat',
    400,
    {
      code: 400,
      title: 'Bad Request',
      explanation: 'The server could not comply',
      error: { type: 'StackValidationFailed', message: 'it said so', traceback: 'File "x.py"' },
    },
  ],
  ['Heat without an exception', 'Heat', 403, { code: 403, title: 'Forbidden', explanation: 'it said so' }],
  ['Glance', 'Glance', 409, { code: '409 Conflict', title: 'Conflict', message: 'it said so' }],
];

describe('the words of an error', () => {
  it.each(SHAPES)('of %s are told', (_, service, status, body) => {
    expect(detailOf(body, status, service)).toBe(
      `${service} answered ${status} to POST http://127.0.0.1:5000/v3/auth/tokens: it said so`,
    );
  });

  it.each<[string, string, number, string | object]>([
    ['a page', 'Keystone', 404, '<html><h1>the secret page</h1></html>'],
    ['plain text', 'Heat', 500, 'the secret page'],
    ['a text in JSON', 'Heat', 500, '"the secret page"'],
    ['a list', 'Nova', 400, [{ code: 400, message: 'the secret page' }]],
    ['a message alone', 'Nova', 400, { message: 'the secret page' }],
    [
      'a Kubernetes API',
      'Nova',
      403,
      { kind: 'Status', code: 403, reason: 'Forbidden', message: 'the secret page', details: {} },
    ],
    ['another status than it had', 'Nova', 404, { itemNotFound: { code: 200, message: 'the secret page' } }],
    ['webob’s with another status', 'Glance', 404, { code: '200 OK', title: 'OK', message: 'the secret page' }],
    ['a type alone', 'Heat', 404, { error: { type: 'x', message: 'the secret page' } }],
    ['no error of Keystone', 'Keystone', 404, { itemNotFound: { code: 404, message: 'the secret page' } }],
    ['no error of Keystone, with a type', 'Keystone', 404, { error: { type: 'x', message: 'the secret page' } }],
  ])('of what no service of OpenStack writes are not: %s', (_, service, status, body) => {
    expect(detailOf(body, status, service)).toBe(
      `${service} answered ${status} to POST http://127.0.0.1:5000/v3/auth/tokens, in no shape of an OpenStack error; is that URL the service’s?`,
    );
  });

  it.each([
    ['tags that never end', '<'.repeat(1_000_000)],
    ['blanks', ' '.repeat(1_000_000)],
    ['tags', '<b>'.repeat(300_000)],
  ])('take no long time of %s', (_, text) => {
    const begun = processorTime();
    detailOf(text);
    detailOf({ badRequest: { code: 400, message: text } });
    expect(processorTime() - begun).toBeLessThan(1_000);
  });

  it('have no part of a secret, wherever they are cut', () => {
    for (const before of [970, 980, 990, 999])
      expect(
        detailOf({ badRequest: { code: 400, message: `${' '.repeat(before)}${SECRET} ${' '.repeat(4_000)}` } }),
      ).not.toContain(SECRET.slice(0, 1 + 8));
  });
});
