import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { FakeVim } from '@windlass/openstack/testing';
import type { StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitingLooks } from '../looks/waiting-looks.js';
import { createStack } from './create-stack.action.js';
import { deleteStack } from './delete-stack.action.js';
import type { InfraContext, InfraSettings } from './infra-context.js';

const ID = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
const STACK = `/heat/v1/p/stacks/vnf-a/${ID}`;
const LOOK = `GET ${STACK}?resolve_outputs=false`;

describe('the deletion of a stack', () => {
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

  const shows = (status: string, more: JsonObject = {}): void => {
    const stack = { id: ID, stack_name: 'vnf-a', stack_status: status, creation_time: '2026-11-20T23:52:38Z', ...more };
    vim.on('GET', STACK, { status: 200, json: { stack: { tags: ['windlass-vnf-a'], parameters: {}, outputs: [], ...stack } } });
  };
  const contextOf = (epoch: number) => {
    const input = { vim: null as never, vnfInstanceId: 'a', stack: { name: 'vnf-a', id: ID } };
    const signal = new AbortController().signal;
    const told = { progress: () => undefined, onlyWaits: () => undefined };
    const run = { operationId: 'op', epoch, attempt: 1, resumed: false, input, signal, ...told };
    return {
      input,
      openStack,
      run: run as unknown as StepRun<typeof input>,
      settings: { stackWithin: minutes(1), absentFor: seconds(1) } as InfraSettings,
      packages: { open: () => Promise.reject(new Error('no packages here')) },
      looks: new WaitingLooks(),
    } satisfies InfraContext<typeof input>;
  };
  const asked = (): string[] => vim.serviceRequests.map(({ method, path }) => `${method} ${path}`);

  it('looks at it once before it is asked for, where nobody can have deleted it before', async () => {
    shows('CREATE_COMPLETE');
    vim.on('DELETE', STACK, () => {
      shows('DELETE_COMPLETE', { deletion_time: '2026-11-20T23:53:38Z' });
      return { status: 204 };
    });
    await expect(deleteStack.check?.(contextOf(1))).resolves.toBe(false);
    expect(asked()).toEqual([]);
    await deleteStack.apply(contextOf(1));
    expect(asked()).toEqual([LOOK, `DELETE ${STACK}`, LOOK]);
  });

  it('is seen to be done by a later claim, once the name is free', async () => {
    shows('DELETE_COMPLETE', { deletion_time: null });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(false);
    shows('DELETE_COMPLETE', { deletion_time: '2026-11-20T23:53:38Z' });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(true);
    vim.on('GET', STACK, { status: 404 });
    await expect(deleteStack.check?.(contextOf(2))).resolves.toBe(true);
    await deleteStack.apply(contextOf(2));
    expect(asked().filter((one) => one.startsWith('DELETE'))).toEqual([]);
  });

  it('is not asked for where the stack is somebody else’s, and no other of its name is touched', async () => {
    shows('CREATE_COMPLETE', { tags: ['windlass-vnf-b'] });
    await expect(deleteStack.apply(contextOf(1))).rejects.toMatchObject({ code: 'stack.not-ours' });
    expect(asked()).toEqual([LOOK]);
  });
});

describe('the creation of a stack', () => {
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

  const POST = 'POST /heat/v1/p/stacks';
  const NAMED = '/heat/v1/p/stacks/vnf-a';
  const input = {
    vim: null as never,
    vnfInstanceId: 'a',
    request: { stackName: 'vnf-a', template: {}, files: {}, parameters: {}, tags: ['windlass-vnf-a', 'windlass-op-op'] },
  };
  const contextOf = (epoch: number, more: Partial<StepRun> = {}) => {
    const signal = new AbortController().signal;
    const told = { progress: () => undefined, onlyWaits: () => undefined, assertLease: () => undefined };
    const run = { operationId: 'op', epoch, attempt: 1, resumed: false, input, signal, ...told, ...more };
    return {
      input,
      openStack,
      run: run as unknown as StepRun<typeof input>,
      settings: { stackWithin: minutes(1), absentFor: seconds(1) } as InfraSettings,
      packages: { open: () => Promise.reject(new Error('no packages here')) },
    } as unknown as Parameters<typeof createStack.apply>[0];
  };
  const stands = (tags: readonly string[]): void => {
    const stack = { id: ID, stack_name: 'vnf-a', stack_status: 'CREATE_COMPLETE', creation_time: '2026-11-20T23:52:38Z' };
    const answer = { status: 200, json: { stack: { ...stack, tags: [...tags], parameters: {}, outputs: [] } } };
    vim.on('GET', NAMED, answer);
    vim.on('GET', STACK, answer);
  };
  const asked = (): string[] => vim.serviceRequests.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);

  it('is asked for without a look for its name, where nobody can have asked before', async () => {
    vim.on('POST', '/heat/v1/p/stacks', () => {
      stands(input.request.tags);
      return { status: 201, json: { stack: { id: ID, links: [] } } };
    });
    await expect(createStack.check?.(contextOf(1))).resolves.toBe(false);
    await expect(createStack.apply(contextOf(1))).resolves.toEqual({ stack: { name: 'vnf-a', id: ID } });
    expect(asked()).toEqual([POST, `GET ${STACK}`]);
  });

  it('is looked for by a later claim, which takes up what an earlier one has made, whose answer was lost', async () => {
    stands(input.request.tags);
    await expect(createStack.check?.(contextOf(2))).resolves.toMatchObject({ output: { stack: { id: ID } } });
    await createStack.apply(contextOf(2, { resumed: true }));
    expect(asked().filter((one) => one === POST)).toEqual([]);
  });

  it('touches nothing where Heat refuses because somebody else’s has the name', async () => {
    stands(['windlass-vnf-b']);
    const message = 'The Stack (vnf-a) already exists.';
    vim.on('POST', '/heat/v1/p/stacks', {
      status: 409,
      json: { error: { message, type: 'StackExists' }, code: 409, title: 'Conflict' },
    });
    await expect(createStack.apply(contextOf(1))).rejects.toMatchObject({ code: 'stack.not-ours' });
    expect(asked()[0]).toBe(POST);
    expect(asked().filter((one) => !one.startsWith('GET'))).toEqual([POST]);
  });
});
