import type { Json } from '@windlass/foundation';
import { waitForDeletion, waitForStack, type ServiceAnswer } from '@windlass/openstack';
import { describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { portTemplate } from './templates.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Tests surprising answers on the wire, below our client, for other clients. The tests build on each other. */
export function wireContract(run: ContractRun): void {
  const stack = new Made();
  const path = () => `/stacks/${stack.ref.name}/${stack.ref.id}`;
  const ask = (method: Method, at: string, expected: number, json?: Json, accept = 'application/json'): Promise<ServiceAnswer> =>
    run.openStack.session.request('orchestration', {
      method,
      path: at,
      expect: [expected],
      headers: { Accept: accept },
      ...(json === undefined ? {} : { json }),
    });
  const typeOf = (answer: ServiceAnswer) => answer.headers['content-type']?.split(';')[0];

  describe('over the wire, Heat', () => {
    it('answers 201 with the location of the new stack', async () => {
      const body = { stack_name: run.name('wire'), template: portTemplate(), tags: run.tag };
      const answer = await ask('POST', '/stacks', 201, body);
      const id = answer.body().object('stack').text('id');
      stack.set({ name: run.name('wire'), id });
      expect(answer.headers.location?.endsWith(path())).toBe(true);
      await waitForStack(run.openStack.heat, stack.ref, 'CREATE', run.wait);
    });

    it('answers 302 to a name, with an HTML page, and keeps the query', async () => {
      const stackItself = await ask('GET', `/stacks/${stack.ref.name}`, 302, undefined, '*/*');
      expect(stackItself.headers.location?.endsWith(path())).toBe(true);
      expect([typeOf(stackItself), stackItself.text.slice(0, 6)]).toEqual(['text/html', '<html>']);
      const resources = await ask('GET', `/stacks/${stack.ref.name}/resources?nested_depth=2`, 302);
      expect(resources.headers.location?.endsWith(`${path()}/resources?nested_depth=2`)).toBe(true);
    });

    it('answers 202 to an update, with an HTML page', async () => {
      const answer = await ask('PATCH', path(), 202, { existing: true }, '*/*');
      expect([typeOf(answer), answer.text.slice(0, 6)]).toEqual(['text/html', '<html>']);
      await waitForStack(run.openStack.heat, stack.ref, 'UPDATE', run.wait);
    });

    it('answers with JSON instead of these pages to those who ask for JSON only', async () => {
      const redirect = await ask('GET', `/stacks/${stack.ref.name}`, 302);
      expect(redirect.body().value).toMatchObject({ code: '302 Found', title: 'Found' });
      const accepted = await ask('PATCH', path(), 202, { existing: true });
      await waitForStack(run.openStack.heat, stack.ref, 'UPDATE', run.wait);
      expect(accepted.body().value).toMatchObject({ code: '202 Accepted', title: 'Accepted' });
    });

    it('answers 200 to a mark, with null', async () => {
      const answer = await ask('PATCH', `${path()}/resources/port`, 200, { mark_unhealthy: true, resource_status_reason: 'x' });
      expect([typeOf(answer), answer.text]).toEqual(['application/json', 'null']);
    });

    it('says what is wrong in its own error body', async () => {
      const taken = await ask('POST', '/stacks', 409, { stack_name: stack.ref.name, template: portTemplate() });
      expect(taken.body().value).toMatchObject({ code: 409, title: 'Conflict', error: { type: 'StackExists' } });
      expect(taken.body().object('error').text('message')).toBe(`The Stack (${stack.ref.name}) already exists.`);
      const unknown = await ask('GET', '/stacks/none/00000000-0000-4000-8000-000000000000', 404);
      expect(unknown.body().value).toMatchObject({ code: 404, title: 'Not Found', error: { type: 'EntityNotFound' } });
      const bad = await ask('GET', `${path()}/resources?colour=red`, 400);
      expect(bad.body().value).toMatchObject({ code: 400, error: { type: 'HTTPBadRequest' } });
    });

    it('answers 204 to a deletion, without a body, and 404 afterwards', async () => {
      const answer = await ask('DELETE', path(), 204);
      expect(answer.text).toBe('');
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
      await ask('GET', `/stacks/${stack.ref.name}`, 404);
    });
  });
}
