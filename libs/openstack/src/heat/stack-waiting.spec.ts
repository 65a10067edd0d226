import { millis, seconds, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim, type Reply } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import { waitForDeletion, waitForStack, waitUntilQuiet, type StackProgress, type StackWait } from './stack-waiting.js';

const ref = { name: 'vnf-a', id: 'b08324e7-eb34-43b1-b128-1e6eebd8e15f' };
const STACK = `/heat/v1/p/stacks/${ref.name}/${ref.id}`;
const quick: StackWait = { within: seconds(60), poll: { first: millis(5), most: millis(20) } };

const stack = (status: string, change: JsonObject = {}): Reply => ({
  status: 200,
  json: {
    stack: {
      ...(recorded('02_get_stack_created').body as { stack: JsonObject }).stack,
      stack_status: status,
      stack_status_reason: `reason of ${status}`,
      ...change,
    },
  },
});

/** One reply after the other, the last one for ever. */
const inTurn = (...replies: Reply[]) => {
  const left = [...replies];
  return () => (left.length > 1 ? left.shift()! : left[0]!);
};

describe('waiting for a stack', () => {
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

  it('ends when the action is complete, without making Heat compute outputs', async () => {
    vim.on('GET', STACK, inTurn(stack('CREATE_IN_PROGRESS'), stack('CREATE_IN_PROGRESS'), stack('CREATE_COMPLETE')));
    await expect(waitForStack(openStack.heat, ref, 'CREATE', quick)).resolves.toMatchObject({
      ...ref,
      status: 'CREATE_COMPLETE',
    });
    expect(vim.serviceRequests.map(({ path }) => path)).toEqual(Array(3).fill(`${STACK}?resolve_outputs=false`));
  });

  it('does not take the result of the action before for this one', async () => {
    vim.on('GET', STACK, inTurn(stack('CREATE_COMPLETE'), stack('UPDATE_IN_PROGRESS'), stack('UPDATE_COMPLETE')));
    await expect(waitForStack(openStack.heat, ref, 'UPDATE', quick)).resolves.toMatchObject({ status: 'UPDATE_COMPLETE' });
  });

  it('tells how many resources are complete', async () => {
    vim.on('GET', STACK, inTurn(stack('CREATE_IN_PROGRESS'), stack('CREATE_IN_PROGRESS'), stack('CREATE_COMPLETE')));
    vim.replay(recorded('full_group_08_resources_after_failed_heal'), `/heat/stacks/${ref.name}/${ref.id}/resources`);
    const told: StackProgress[] = [];
    const poll = { ...quick.poll!, progressEvery: millis(0) };
    await waitForStack(openStack.heat, ref, 'CREATE', { ...quick, poll, onProgress: (progress) => void told.push(progress) });
    expect(told).toEqual([
      { complete: 19, total: 22 },
      { complete: 19, total: 22 },
    ]);
  });

  it('lists resources for that once a second at most, and not of a stack that has ended', async () => {
    const goingOn = Array.from({ length: 10 }, () => stack('CREATE_IN_PROGRESS'));
    vim.on('GET', STACK, inTurn(...goingOn, stack('CREATE_COMPLETE')));
    vim.replay(recorded('full_group_08_resources_after_failed_heal'), `/heat/stacks/${ref.name}/${ref.id}/resources`);
    await waitForStack(openStack.heat, ref, 'CREATE', { ...quick, onProgress: () => undefined });
    expect(vim.serviceRequests.filter(({ path }) => path.includes('/resources'))).toHaveLength(1);
    expect(vim.serviceRequests).toHaveLength(12);
  });

  it('fails with the reason of the resource at fault, not only of the stacks around it', async () => {
    vim.on('GET', STACK, stack('UPDATE_FAILED'));
    const resources = recorded('full_group_08_resources_after_failed_heal');
    vim.replay(resources, `/heat/stacks/${ref.name}/${ref.id}/resources`);
    const failure = await waitForStack(openStack.heat, ref, 'UPDATE', quick).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ name: 'TerminalError', code: 'stack.update-failed', title: 'Stack update failed' });
    expect((failure as Error).message).toBe(
      `stack vnf-a/${ref.id} is UPDATE_FAILED: reason of UPDATE_FAILED; q2ao7cmld66l/VDU1 (OS::Nova::Server): ` +
        'ResourceInError: resources.VDU1: Went to status ERROR due to "Message: No valid host was found. There are not enough hosts available., Code: 500"',
    );
  });

  it('sees through an outage of Heat', async () => {
    const out: Reply = { status: 503, text: 'restarting' };
    vim.on('GET', STACK, inTurn(stack('CREATE_IN_PROGRESS'), out, 'reset', out, stack('CREATE_COMPLETE')));
    await expect(waitForStack(openStack.heat, ref, 'CREATE', quick)).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
  });

  it('throws at once what the one who is told of progress throws', async () => {
    vim.on('GET', STACK, stack('CREATE_IN_PROGRESS'));
    vim.on('GET', `${STACK}/resources`, { status: 200, json: { resources: [] } });
    const onProgress = () => Promise.reject(new Error('the lease is lost'));
    await expect(waitForStack(openStack.heat, ref, 'CREATE', { ...quick, onProgress })).rejects.toThrow('the lease is lost');
  });

  it('says what it saw last when the time is up', async () => {
    vim.on('GET', STACK, stack('CREATE_IN_PROGRESS'));
    await expect(waitForStack(openStack.heat, ref, 'CREATE', { ...quick, within: millis(60) })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'wait.timeout',
      message: `waited 60 ms for stack vnf-a/${ref.id} to be CREATE_COMPLETE; last seen: CREATE_IN_PROGRESS`,
    });
  });

  it('ends with the signal', async () => {
    vim.on('GET', STACK, stack('CREATE_IN_PROGRESS'));
    const control = new AbortController();
    const waiting = waitForStack(openStack.heat, ref, 'CREATE', {
      ...quick,
      signal: control.signal,
      poll: { first: seconds(4), most: seconds(4) },
    });
    setTimeout(() => control.abort(new Error('cancelled')), 30);
    await expect(waiting).rejects.toSatisfy((error: Error) => error.message === 'cancelled' || error.name === 'AbortError');
  });

  it('that somebody deleted meanwhile fails', async () => {
    vim.on('GET', STACK, { status: 404 });
    await expect(waitForStack(openStack.heat, ref, 'CREATE', quick)).rejects.toMatchObject({ code: 'heat.stack-not-found' });
  });

  it('to be deleted waits until its name is free, not only until DELETE_COMPLETE', async () => {
    const location = { Location: `http://heat/v1/p/stacks/${ref.name}/${ref.id}` };
    vim.on('GET', STACK, inTurn(stack('DELETE_IN_PROGRESS'), stack('DELETE_COMPLETE')));
    vim.on(
      'GET',
      `/heat/v1/p/stacks/${ref.name}`,
      inTurn({ status: 302, headers: location }, { status: 302, headers: location }, { status: 404 }),
    );
    await waitForDeletion(openStack.heat, ref, quick);
    expect(vim.serviceRequests.filter(({ path }) => path.endsWith('/vnf-a'))).toHaveLength(3);
  });

  it('to be deleted is asked for again when the name is not let go of, as after the death of an engine', async () => {
    const location = { Location: `http://heat/v1/p/stacks/${ref.name}/${ref.id}` };
    let asked = false;
    vim.on('GET', STACK, () => stack('DELETE_COMPLETE'));
    vim.on('GET', `/heat/v1/p/stacks/${ref.name}`, () => (asked ? { status: 404 } : { status: 302, headers: location }));
    vim.on('DELETE', STACK, () => {
      asked = true;
      return { status: 404 };
    });
    await waitForDeletion(openStack.heat, ref, { ...quick, poll: { first: millis(100), most: millis(500) } });
    expect(vim.serviceRequests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  it('to be deleted is over when another stack has its name, when Heat dates the deletion, or knows nothing of it', async () => {
    const other = { Location: 'http://heat/v1/p/stacks/vnf-a/other' };
    vim.on('GET', '/heat/v1/p/stacks/vnf-a/other', stack('CREATE_COMPLETE', { id: 'other' }));
    vim.on('GET', STACK, stack('DELETE_COMPLETE')).on('GET', '/heat/v1/p/stacks/vnf-a', { status: 302, headers: other });
    await waitForDeletion(openStack.heat, ref, quick);
    vim.on('GET', '/heat/v1/p/stacks/vnf-a', { status: 500 });
    vim.on('GET', STACK, stack('DELETE_COMPLETE', { deletion_time: '2026-11-20T23:52:38Z' }));
    await waitForDeletion(openStack.heat, ref, quick);
    vim.on('GET', STACK, { status: 404 });
    await waitForDeletion(openStack.heat, ref, quick);
  });

  it('to be deleted fails with the reason of what would not go', async () => {
    vim.on('GET', STACK, stack('DELETE_FAILED'));
    vim.on('GET', `${STACK}/resources`, { status: 200, json: { resources: [] } });
    await expect(waitForDeletion(openStack.heat, ref, quick)).rejects.toMatchObject({
      code: 'stack.delete-failed',
      title: 'Stack delete failed',
    });
  });

  it('to come to rest waits for children that go on under a failed parent', async () => {
    const resources = (recorded('full_group_08_resources_after_failed_heal').body as { resources: JsonObject[] }).resources;
    const busy = resources.map((it) =>
      it.resource_name === 'uy2xmododpek' ? { ...it, resource_status: 'UPDATE_IN_PROGRESS' } : it,
    );
    vim.on('GET', STACK, stack('UPDATE_FAILED'));
    vim.on('GET', `${STACK}/resources`, inTurn({ status: 200, json: { resources: busy } }, { status: 200, json: { resources } }));
    await expect(waitUntilQuiet(openStack.heat, ref, quick)).resolves.toHaveLength(22);
    expect(vim.serviceRequests.filter(({ path }) => path.includes('/resources'))).toHaveLength(2);
  });
});
