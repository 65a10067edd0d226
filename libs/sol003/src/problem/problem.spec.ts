import { InvariantError, RequestError, seconds, TerminalError, TransientError } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../schemas/schema-errors.js';
import { MethodNotAllowed, problemAnswerOf, problemDetailsOf, tackerErrorOf } from './problem.js';

describe('an error as ProblemDetails', () => {
  it('has the HTTP phrase for a title, the code and the wrong fields', () => {
    const error = new RequestError(409, 'vnf.busy', 'an operation runs', { invalidParams: [{ path: '/a', reason: 'b' }] });
    const { status, headers, body } = problemAnswerOf(error);
    expect(status).toBe(409);
    expect(headers).toEqual({ 'Content-Type': 'application/problem+json' });
    expect(body).toEqual({
      title: 'Conflict',
      status: 409,
      detail: 'an operation runs',
      code: 'vnf.busy',
      invalidParams: [{ path: '/a', reason: 'b' }],
    });
    expect(schemaErrors('ProblemDetails', body)).toEqual([]);
  });

  it('keeps a title of its own', () => {
    const error = new TerminalError('stack.create-failed', 'no valid host', { status: 422, title: 'Stack create failed' });
    expect(problemDetailsOf(error)).toMatchObject({ title: 'Stack create failed', status: 422 });
  });

  it('says when to come again', () => {
    const error = new TransientError('driver.silent', 'no answer', { retryAfter: seconds(4.2) });
    expect(problemAnswerOf(error)).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });

  it('says which methods a resource has', () => {
    expect(problemAnswerOf(new MethodNotAllowed('PUT', ['GET', 'POST']))).toMatchObject({
      status: 405,
      headers: { Allow: 'GET, POST' },
      body: { title: 'Method Not Allowed' },
    });
  });

  it('tells nothing of what nobody foresaw but where to look', () => {
    for (const error of [new Error('password=hunter2'), new InvariantError('password=hunter2'), 'password=hunter2']) {
      const { status, body } = problemAnswerOf(error, 'req-1');
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toContain('hunter2');
      expect(body.detail).toContain('req-1');
      expect(schemaErrors('ProblemDetails', body)).toEqual([]);
    }
  });

  it('has a form for the legacy API', () => {
    expect(tackerErrorOf(new RequestError(404, 'vim.not-found', 'no VIM x'))).toEqual({
      TackerError: { type: 'vim.not-found', message: 'no VIM x', detail: '' },
    });
  });

  it('has at most 50 KB of findings, and says how many others there are', () => {
    const invalidParams = Array.from({ length: 1_000 }, (_, index) => ({
      path: `/${index}/${'n'.repeat(5_000)}`,
      reason: 'r'.repeat(5_000),
    }));
    const shown = problemDetailsOf(new RequestError(400, 'request.invalid-body', 'd'.repeat(1_000_000), { invalidParams }));
    expect(JSON.stringify(shown).length).toBeLessThan(60_000);
    expect(shown.detail).toHaveLength(4_096);
    const last = shown.invalidParams?.at(-1);
    expect(last?.reason).toBe(`${1_001 - (shown.invalidParams?.length ?? 0)} more findings are not shown`);
    expect(shown.invalidParams?.[0]?.path).toMatch(/^\/0\/n{1000,}…$/);
  });

  it('has all findings where they are no more than that', () => {
    const invalidParams = Array.from({ length: 1_000 }, (_, index) => ({ path: `/${index}`, reason: 'expected a string' }));
    expect(problemDetailsOf(new RequestError(400, 'request.invalid-body', 'd', { invalidParams })).invalidParams).toEqual(
      invalidParams,
    );
  });
});
