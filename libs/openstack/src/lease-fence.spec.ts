import { TransientError } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from './openstack.js';
import { FakeVim } from './testing/fake-vim.js';

const ref = { name: 'vnf-1', id: '1' };
const STACK = '/heat/v1/p/stacks/vnf-1/1';

describe('the fence of a step', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  const seen: string[] = [];
  beforeEach(async () => {
    seen.length = 0;
    vim = await FakeVim.start();
    vim.on('DELETE', STACK, { status: 204 }).on('GET', STACK, { status: 404 });
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  it('is the last thing before a change, after the token has been got', async () => {
    const fence = () => void seen.push(vim.requests.map(({ method, path }) => `${method} ${path}`).join());
    await openStack.with({ fence }).heat.deleteStack(ref);
    expect(seen).toEqual(['POST /v3/auth/tokens']);
  });

  it('is not asked before reading, nor before authenticating', async () => {
    await openStack.with({ fence: () => void seen.push('asked') }).heat.getStack(ref);
    expect(seen).toEqual([]);
  });

  it('that says the lease is lost keeps the request from being sent', async () => {
    const fence = () => Promise.reject(new TransientError('lease.lost', 'the lease of step 5 is lost'));
    await expect(openStack.with({ fence }).heat.deleteStack(ref)).rejects.toMatchObject({ code: 'lease.lost' });
    expect(vim.serviceRequests).toEqual([]);
  });

  it('is asked again when the request is sent again with a new token', async () => {
    await openStack.session.token();
    vim.tokens.clear();
    const fence = () => void seen.push(`${vim.authentications.length}`);
    await openStack.with({ fence }).heat.deleteStack(ref);
    expect(seen).toEqual(['1', '2']);
    expect(vim.serviceRequests).toHaveLength(2);
  });

  it('binds every call of every API that changes something', async () => {
    const fence = () => Promise.reject(new Error('fenced'));
    const { heat, glance, cinder } = openStack.with({ fence });
    const changes = [
      heat.createStack({ name: 'a', template: {} }),
      heat.updateStack(ref, {}),
      heat.replaceStack(ref, { template: {} }),
      heat.markUnhealthy(ref, 'VDU1', 'heal'),
      heat.markHealthy(ref, 'VDU1', 'heal'),
      heat.deleteStack(ref),
      glance.createImage({ name: 'a', diskFormat: 'raw' }),
      glance.deleteImage('a'),
      glance.addTag('a', 'b'),
      glance.removeTag('a', 'b'),
      cinder.deleteVolume('a'),
    ];
    const outcomes = await Promise.allSettled(changes);
    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : 'sent'))).toEqual(
      changes.map(() => 'Error: fenced'),
    );
    expect(vim.serviceRequests).toEqual([]);
  });
});
