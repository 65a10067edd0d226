import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { FakeVim } from '@windlass/openstack/testing';
import type { StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitingLooks } from '../looks/waiting-looks.js';
import { createStack } from './create-stack.action.js';
import { deleteStack } from './delete-stack.action.js';
import { heatTimeoutMinutes, type InfraContext, type InfraSettings } from './infra-context.js';
import { reconnectStack } from './reconnect-stack.action.js';
import { resizeStack } from './resize-stack.action.js';

const ID = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
const STACK = `/heat/v1/p/stacks/vnf-a/${ID}`;
const OPERATION = 'op';
const vnfInstanceId = 'a';
const tags = ['windlass', 'windlass-vnf-a', `windlass-op-${OPERATION}`];
/** As journals of releases had it that fixed Heat's limit. */
const update = { template: 'T', files: {}, parameters: {}, tags, timeoutMinutes: 20 };

describe("Heat's own limit on a stack", () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let told: string[];
  beforeEach(async () => {
    told = [];
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const contextOf = <Input>(input: Input, stackWithin = minutes(90)): InfraContext<Input> => ({
    input,
    openStack,
    settings: { stackWithin, absentFor: seconds(1) } as InfraSettings,
    packages: { open: () => Promise.reject(new Error('no packages here')) },
    looks: new WaitingLooks(),
    run: {
      operationId: OPERATION,
      attempt: 1,
      resumed: false,
      input,
      signal: new AbortController().signal,
      progress: (text: string) => void told.push(text),
      onlyWaits: () => undefined,
      assertLease: () => undefined,
    } as unknown as StepRun<Input>,
  });
  const shows = (status: string, reason = 'as it is', more: JsonObject = {}): void => {
    const stack = {
      id: ID,
      stack_name: 'vnf-a',
      stack_status: status,
      stack_status_reason: reason,
      creation_time: '2026-11-20T23:52:38Z',
      tags,
      parameters: {},
      outputs: [],
      ...more,
    };
    vim.on('GET', /^\/heat\/v1\/p\/stacks\/vnf-a/, { status: 200, json: { stack } });
    vim.on('GET', /\/resources/, { status: 200, json: { resources: [] } });
  };
  const asked = (method: string): JsonObject =>
    JSON.parse(vim.serviceRequests.find((request) => request.method === method)?.body ?? '{}') as JsonObject;

  it('follows from how long we wait, ends before that, and is a whole minute at least', () => {
    const of = (stackWithin: InfraSettings['stackWithin']) => heatTimeoutMinutes({ stackWithin });
    expect([minutes(25), minutes(90), minutes(10), minutes(60 * 24), seconds(10)].map(of)).toEqual([20, 85, 8, 1_435, 1]);
  });

  it('is sent with a creation, and a time-out names the setting that lengthens it', async () => {
    vim.on('POST', '/heat/v1/p/stacks', { status: 201, json: { stack: { id: ID } } });
    shows('CREATE_FAILED', 'Timed out', { timeout_mins: 85 });
    const request = { ...update, stackName: 'vnf-a' };
    await expect(createStack.apply(contextOf({ vim: null as never, vnfInstanceId, request }))).rejects.toMatchObject({
      code: 'stack.create-failed',
      message: `stack vnf-a/${ID} is CREATE_FAILED: Timed out; Heat had 85 minutes for it: for more time raise STACK_WITHIN of the infra-driver, then retry`,
    });
    expect(asked('POST')).toMatchObject({ stack_name: 'vnf-a', timeout_mins: 85, tags: tags.join(',') });
  });

  it('is sent with a change of size and of ports, whatever an older release had journaled', async () => {
    const stack = { name: 'vnf-a', id: ID };
    const none = { vim: null as never, vnfInstanceId, stack };
    const wanted = { update, sizes: {}, leaving: [] };
    vim.on('PATCH', STACK, () => {
      shows('UPDATE_FAILED', 'UPDATE timed out', { timeout_mins: 85 });
      return { status: 202 };
    });
    const works: (() => Promise<unknown>)[] = [
      async () => resizeStack.apply(contextOf({ ...none, wanted, earlier: null })),
      async () => reconnectStack.apply(contextOf({ ...none, wanted: update, earlier: update })),
    ];
    for (const work of works) {
      vim.requests.length = 0;
      shows('CREATE_COMPLETE', 'as it is', { tags: tags.slice(0, 2) });
      await expect(work()).rejects.toThrow('for more time raise STACK_WITHIN of the infra-driver');
      expect(asked('PATCH')).toMatchObject({ template: 'T', timeout_mins: 85 });
    }
  });

  it("of another thing's time-out nothing is said", async () => {
    vim.on('POST', '/heat/v1/p/stacks', { status: 201, json: { stack: { id: ID } } });
    shows('CREATE_FAILED', 'Resource CREATE failed: WaitConditionTimeout: resources.wait: 0 of 1 received');
    const request = { ...update, stackName: 'vnf-a' };
    const failure = createStack.apply(contextOf({ vim: null as never, vnfInstanceId, request }));
    await expect(failure).rejects.not.toThrow('STACK_WITHIN');
  });

  it('that ends while we wait is named, too', async () => {
    vim.on('POST', '/heat/v1/p/stacks', { status: 201, json: { stack: { id: ID } } });
    shows('CREATE_IN_PROGRESS');
    const request = { ...update, stackName: 'vnf-a' };
    const input = { vim: null as never, vnfInstanceId, request };
    await expect(createStack.apply(contextOf(input, seconds(0.1)))).rejects.toMatchObject({
      code: 'wait.timeout',
      message: expect.stringContaining('(for more time raise STACK_WITHIN of the infra-driver)') as string,
    });
  });

  it('a deletion that failed is asked for again by the step itself, and told', async () => {
    vim.on('DELETE', STACK, { status: 204 });
    shows('DELETE_FAILED', 'Resource DELETE failed: Conflict: resources.sub: in use');
    const input = { vim: null as never, vnfInstanceId, stack: { name: 'vnf-a', id: ID } };
    await expect(deleteStack.apply(contextOf(input))).rejects.toMatchObject({
      name: 'TransientError',
      code: 'stack.delete-failed',
      title: 'Stack delete failed',
    });
    expect(told).toEqual(['deleting again what Heat could not delete (Resource DELETE failed: Conflict: resources.sub: in use)']);
    expect(deleteStack.retry).toMatchObject({ attempts: 4 });
  });
});
