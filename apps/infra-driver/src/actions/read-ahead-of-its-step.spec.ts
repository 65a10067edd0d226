import { minutes, seconds } from '@windlass/foundation';
import { OpenStack, type StackSummary } from '@windlass/openstack';
import { CountedLooks, FakeVim } from '@windlass/openstack/testing';
import type { StepRun } from '@windlass/saga';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAheadOf } from '../looks/read-ahead.js';
import { createStack } from './create-stack.action.js';
import type { InfraSettings } from './infra-context.js';
import { readStack } from './read-stack.action.js';

const ID = 'b08324e7-eb34-43b1-b128-1e6eebd8e15f';
const STACKS = '/heat/v1/p/stacks';

describe('reading what a stack consists of', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let status: number;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.watching(vim.connection());
    status = 200;
    const stack = { id: ID, stack_name: 'vnf-a', stack_status: 'CREATE_COMPLETE', creation_time: '2026-11-20T23:52:38Z' };
    vim.on('POST', STACKS, { status: 201, json: { stack: { id: ID, links: [] } } });
    vim.on('GET', /\/stacks\?/, { status: 200, json: { stacks: [{ ...stack, tags: ['windlass-vnf-a'] }] } });
    vim.on('GET', /\/resources\?/, () => (status === 200 ? { status, json: { resources: [] } } : { status, text: 'busy' }));
    vim.on('GET', /\/floatingips/, { status: 200, json: { floatingips: [] } });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    openStack.close();
    await vim.close();
  });

  const contextOf = <T>(operationId: string, epoch: number, input: T) => {
    const told = { progress: () => undefined, onlyWaits: () => undefined, assertLease: () => undefined };
    const signal = new AbortController().signal;
    const run = { operationId, epoch, attempt: 1, resumed: false, input, signal, ...told } as unknown as StepRun<T>;
    return { input, openStack, run, settings: { stackWithin: minutes(1), absentFor: seconds(1) } as InfraSettings };
  };
  const create = (operationId: string): Promise<unknown> => {
    const request = { stackName: 'vnf-a', template: {}, files: {}, parameters: {}, tags: ['windlass-vnf-a'] };
    const context = contextOf(operationId, 1, { vim: null, vnfInstanceId: 'a', request });
    return createStack.apply(context as unknown as Parameters<typeof createStack.apply>[0]) as Promise<unknown>;
  };
  const read = (operationId: string, epoch = 1): Promise<unknown> => {
    const flavour = { vdus: [], cps: [], virtualLinks: [], scalingAspects: [] };
    const request = { flavourId: 'simple', extVirtualLinks: [], extManagedVirtualLinks: [] };
    const context = contextOf(operationId, epoch, {
      vim: {},
      vnfInstanceId: 'a',
      stack: { name: 'vnf-a', id: ID },
      flavour,
      request,
    });
    return readStack.apply(context as unknown as Parameters<typeof readStack.apply>[0]) as Promise<unknown>;
  };
  const readings = (): number => vim.serviceRequests.filter(({ path }) => path.includes('/resources')).length;

  it('begins when the stack is seen complete, and is done once for creation and reading', async () => {
    await create('op');
    await expect(read('op')).resolves.toMatchObject({ stack: { name: 'vnf-a', id: ID } });
    expect(readings()).toBe(1);
    expect(readAheadOf(openStack)?.waiting).toBe(0);
  });

  it('is done anew for another operation: the stack may have been changed since', async () => {
    await create('op');
    await read('another');
    expect(readings()).toBe(2);
  });

  it('is done anew by a later claim of the step: what an earlier one had read may be old', async () => {
    await create('op');
    await read('op', 2);
    expect(readings()).toBe(2);
  });

  it('is done anew where it failed meanwhile', async () => {
    status = 400;
    await create('op');
    await expect(read('op')).rejects.toMatchObject({ code: 'openstack.bad-request' });
    status = 200;
    await create('op');
    status = 200;
    await expect(read('op')).resolves.toBeDefined();
  });

  it('begins with the servers, shortly before the stack is complete: they are not asked for again', async () => {
    const shown = { name: 'vnf-a', id: ID, statusReason: '' };
    const looks = new CountedLooks({ from: 4_000, to: 4_000 }, (now) => {
      return { ...shown, status: now < 4_000 ? 'CREATE_IN_PROGRESS' : 'CREATE_COMPLETE' } as StackSummary;
    });
    openStack = new OpenStack(openStack.session, looks.watch);
    vi.spyOn(performance, 'now').mockImplementation(() => looks.now);
    const server = { id: 's', name: 'VDU1', status: 'ACTIVE', created: '2026-11-20T23:48:00Z', image: '', flavor: { id: 'f' } };
    const times = { creation_time: '2026-11-20T23:48:00Z', updated_time: '2026-11-20T23:48:00Z' };
    const said = { resource_name: 'VDU1', resource_type: 'OS::Nova::Server', physical_resource_id: 's', ...times };
    const status = { resource_status: 'CREATE_IN_PROGRESS', resource_status_reason: '', required_by: [] };
    const links = [{ rel: 'stack', href: `${vim.url}${STACKS}/vnf-a/${ID}` }];
    vim.on('GET', /\/resources\?/, { status: 200, json: { resources: [{ ...said, ...status, links }] } });
    vim.on('GET', /\/servers\/s$/, { status: 200, json: { server } });
    await create('op');
    await expect(read('op')).resolves.toMatchObject({ stack: { name: 'vnf-a', id: ID } });
    expect(vim.serviceRequests.filter(({ path }) => path.endsWith('/servers/s'))).toHaveLength(1);
    const [first, second] = vim.serviceRequests.filter(({ path }) => /\/resources\?|\/servers\/s$/.test(path));
    expect([first?.path, second?.path]).toEqual([expect.stringContaining('/resources'), expect.stringContaining('/servers/s')]);
  });
});
