import { TerminalError, TransientError } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from './openstack.js';
import { FakeVim } from './testing/fake-vim.js';

const ref = { name: 'vnf-1', id: 'b08324e7-eb34-43b1-b128-1e6eebd8e15f' };
const STACKS = '/heat/v1/p/stacks';

describe('a refusal of the VIM', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  it.each([
    [400, 'openstack.bad-request', TerminalError],
    [403, 'openstack.forbidden', TerminalError],
    [404, 'openstack.not-found', TerminalError],
    [409, 'openstack.conflict', TerminalError],
    [418, 'openstack.refused', TerminalError],
    [429, 'openstack.busy', TransientError],
    [500, 'openstack.server-error', TransientError],
    [501, 'openstack.refused', TerminalError],
    [502, 'openstack.server-error', TransientError],
    [503, 'openstack.server-error', TransientError],
    [504, 'openstack.server-error', TransientError],
  ])('with status %i becomes %s', async (status, code, kind) => {
    vim.on('GET', STACKS, { status, json: { badThing: { message: 'because', code: status } } });
    const failure = await openStack.heat.listStacks().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ code, message: `Heat answered ${status} to GET ${vim.url}${STACKS}: because` });
  });

  it('says when to come back, in seconds or by its own clock', async () => {
    vim.on('GET', STACKS, { status: 429, headers: { 'Retry-After': '7' } });
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({ retryAfter: 7_000 });
    vim.on('GET', STACKS, {
      status: 503,
      headers: { Date: 'Fri, 20 Nov 2026 23:48:00 GMT', 'Retry-After': 'Fri, 20 Nov 2026 23:48:30 GMT' },
    });
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({ retryAfter: 30_000 });
  });

  it('of a stack name that is taken is heat.stack-exists, and of a stack at work transient', async () => {
    const said = (type: string, message: string) => ({
      code: 409,
      title: 'Conflict',
      explanation: 'There was a conflict when trying to complete your request.',
      error: { type, message, traceback: 'Traceback (most recent call last): password=hunter2' },
    });
    vim.on('POST', STACKS, { status: 409, json: said('StackExists', 'The Stack (vnf-1) already exists.') });
    await expect(openStack.heat.createStack({ name: 'vnf-1', template: {} })).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'heat.stack-exists',
      message: `Heat answered 409 to POST ${vim.url}${STACKS}: The Stack (vnf-1) already exists.`,
    });
    const busy = said('ActionInProgress', 'Stack vnf-1 already has an action (UPDATE) in progress.');
    vim.on('PATCH', `${STACKS}/vnf-1/${ref.id}`, { status: 409, json: busy });
    await expect(openStack.heat.updateStack(ref, {})).rejects.toMatchObject({
      name: 'TransientError',
      code: 'heat.action-in-progress',
    });
  });

  it('as an HTML page is told without its words: a tenant names the URL', async () => {
    vim.on('GET', STACKS, { status: 502, text: '<html><title>502</title><h1>Bad   Gateway</h1></html>' });
    await expect(openStack.heat.listStacks()).rejects.toThrow(
      /stacks, in no shape of an OpenStack error; is that URL the service’s\?$/,
    );
  });

  it('in a shape that nobody documents is not taken for an answer', async () => {
    vim.on('GET', STACKS, { status: 200, text: '<html>portal</html>' });
    await expect(openStack.heat.listStacks()).rejects.toMatchObject({ code: 'openstack.unexpected-answer' });
    vim.on('GET', STACKS, { status: 200, json: { stacks: [{ id: 5 }] } });
    await expect(openStack.heat.listStacks()).rejects.toThrow('expected a string at GET /stacks.stacks[0].stack_name');
  });
});
