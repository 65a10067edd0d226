import { millis, seconds, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import { removeStack, type StackRemoval } from './stack-removal.js';

const STACKS = '/heat/v1/p/stacks';
const quick: StackRemoval = { within: seconds(60), absentFor: millis(0), poll: { first: millis(5), most: millis(10) } };

/** A Heat with stacks of one name only, which are gone as soon as their deletion is asked for. */
class OneName {
  ids: string[] = [];
  deleted: string[] = [];
  looks = 0;
  /** At this look by name, a stack appears that was asked for long ago. */
  lateAtLook = Number.POSITIVE_INFINITY;
  constructor(vim: FakeVim) {
    const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
    vim.on('GET', `${STACKS}/vnf-a`, () => {
      this.looks += 1;
      if (this.looks === this.lateAtLook) this.ids = ['late'];
      const [id] = this.ids;
      return id === undefined ? { status: 404 } : { status: 302, headers: { Location: `${vim.url}${STACKS}/vnf-a/${id}` } };
    });
    vim.on('GET', /\/stacks\/vnf-a\/[^/]+(\?|$)/, ({ path }) => {
      const id = path.split('?')[0]!.split('/').at(-1)!;
      return this.ids.includes(id) ? { status: 200, json: { stack: { ...stack, id } } } : { status: 404 };
    });
    vim.on('DELETE', /\/stacks\/vnf-a\/[^/]+$/, ({ path }) => {
      this.deleted.push(path.split('/').at(-1)!);
      this.ids = [];
      return { status: 204 };
    });
  }
}

describe('undoing the creation of a stack', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let heat: OneName;
  beforeEach(async () => {
    vim = await FakeVim.start();
    heat = new OneName(vim);
    openStack = OpenStack.open(vim.connection());
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  it('deletes the stack of that name', async () => {
    heat.ids = ['one'];
    await removeStack(openStack.heat, 'vnf-a', quick);
    expect(heat.deleted).toEqual(['one']);
  });

  it('is nothing where there is none, and can be repeated', async () => {
    await removeStack(openStack.heat, 'vnf-a', quick);
    await removeStack(openStack.heat, 'vnf-a', quick);
    expect(heat.deleted).toEqual([]);
  });

  it('waits for a stack that a lost request makes late, and deletes it', async () => {
    heat.lateAtLook = 5;
    await removeStack(openStack.heat, 'vnf-a', { ...quick, absentFor: millis(400) });
    expect(heat.deleted).toEqual(['late']);
  });

  it('counts the absence anew after each stack that it deleted', async () => {
    heat.ids = ['first'];
    const begun = performance.now();
    await removeStack(openStack.heat, 'vnf-a', { ...quick, absentFor: millis(120) });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(120);
    expect(heat.deleted).toEqual(['first']);
  });
});
