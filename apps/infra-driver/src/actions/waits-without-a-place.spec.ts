import { minutes, seconds, type JsonObject } from '@windlass/foundation';
import { OpenStack } from '@windlass/openstack';
import { FakeVim } from '@windlass/openstack/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WaitingLooks } from '../looks/waiting-looks.js';
import { powerServer } from './power-server.action.js';

type Context = Parameters<typeof powerServer.apply>[0];

const STACK = '/heat/v1/p/stacks/vnf-a/b08324e7-eb34-43b1-b128-1e6eebd8e15f';

describe('a server that is stopped', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  /** What was asked of Nova, and when the run said that it only waits, in order. */
  let order: string[];
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.open(vim.connection());
    order = [];
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const stands = (status: string, task: string | null = null): void => {
    const server = { id: 'server-1', name: 'vm', status, created: '2026-11-20T23:52:38Z', 'OS-EXT-STS:task_state': task };
    vim.on('GET', /^\/nova\/.*servers\/server-1$/, () => {
      order.push('look');
      return { status: 200, json: { server: { ...server, 'os-extended-volumes:volumes_attached': [] } } };
    });
  };
  const answers = (status: number, then: () => void = () => undefined): void => {
    vim.on('POST', /^\/nova\/.*servers\/server-1\/action$/, () => {
      order.push('asked');
      then();
      return status === 202 ? { status } : { status, json: { conflictingRequest: { code: status, message: 'busy' } } };
    });
  };
  const contextOf = (to: 'STARTED' | 'STOPPED' = 'STOPPED'): Context => {
    const input = {
      ...{ vim: { authUrl: vim.url }, vnfInstanceId: 'a', stack: { name: 'vnf-a', id: STACK.split('/').at(-1) ?? '' } },
      ...{ vnfcId: 'c', vduId: 'vdu', serverId: 'server-1', to, was: 'STARTED' },
    };
    const signal = new AbortController().signal;
    const run = { operationId: 'op', tenant: 't', epoch: 1, attempt: 1, resumed: false, input, signal };
    const told = { progress: () => undefined, onlyWaits: () => void order.push('only waits'), assertLease: () => undefined };
    const settings = { stackWithin: minutes(1), absentFor: seconds(1) };
    return { input, openStack, run: { ...run, ...told }, settings, looks: new WaitingLooks() } as unknown as Context;
  };
  const ownStack = (): void => {
    const stack: JsonObject = { id: STACK.split('/').at(-1) ?? '', stack_name: 'vnf-a', stack_status: 'CREATE_COMPLETE' };
    const more = { creation_time: '2026-11-20T23:52:38Z', tags: ['windlass-vnf-a'], parameters: {}, outputs: [] };
    vim.on('GET', STACK, { status: 200, json: { stack: { ...stack, ...more } } });
  };

  it('is waited for without a place once Nova has taken the request, and never before', async () => {
    ownStack();
    stands('ACTIVE');
    answers(202, () => stands('SHUTOFF'));
    await powerServer.apply(contextOf());
    expect(order).toEqual(['look', 'asked', 'only waits', 'look']);
  });

  it('keeps its place where Nova refuses: the run ends', async () => {
    ownStack();
    stands('ACTIVE');
    answers(409);
    await expect(powerServer.apply(contextOf())).rejects.toMatchObject({ code: 'operate.refused' });
    expect(order).not.toContain('only waits');
  });

  it('keeps its place where it stands so already', async () => {
    stands('SHUTOFF');
    await powerServer.apply(contextOf());
    expect(order).toEqual(['look']);
  });
});
