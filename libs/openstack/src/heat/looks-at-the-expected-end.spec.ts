import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import type { StackPace } from './stack-looks.js';
import { STACK_PACE } from './stack-watch.js';
import { waitForDeletion, waitForStack } from './stack-waiting.js';

const LISTING = /^\/heat\/v1\/p\/stacks\?/;
const REF = { name: 'vnf-1', id: '00000000-0000-4000-8000-000000000001' };
/** Regular looks so rare that none of them is taken for one that was saved, however busy the machine is. */
const PACE: StackPace = { ...STACK_PACE, first: seconds(2), close: millis(30), saved: 3, ahead: millis(50), restFactor: 0 };
const KIND = 'CREATE a';

describe('looks at a stack whose end is expected', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let status: string;
  let more: JsonObject;
  const lookedAt: number[] = [];
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.watching(vim.connection(), {}, PACE);
    await openStack.session.token();
    status = 'CREATE_IN_PROGRESS';
    more = {};
    lookedAt.length = 0;
    vim.on('GET', LISTING, () => {
      lookedAt.push(performance.now());
      const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
      const shown = { ...stack, tags: null, id: REF.id, stack_name: REF.name, stack_status: status, ...more };
      return { status: 200, json: { stacks: [shown] } };
    });
  });
  afterEach(async () => {
    openStack.close();
    await vim.close();
  });

  const usual = () => openStack.watch!.usual;
  const looks = (count: number): Promise<boolean> =>
    waitUntil(() => Promise.resolve(lookedAt.length >= count || undefined), {
      for: `${count} looks`,
      within: seconds(60),
      every: millis(2),
    });
  const created = (kind: string | undefined) =>
    waitForStack(openStack.heat, REF, 'CREATE', { within: seconds(60), ...(kind === undefined ? {} : { kind }) });

  it('are not sent before it, and no more than one each pause are', async () => {
    usual().ended(KIND, 1, 300, 300);
    const begun = performance.now();
    const end = created(KIND);
    await looks(2);
    status = 'CREATE_COMPLETE';
    await end;
    const [first = 0, second = 0] = lookedAt;
    expect(first - begun).toBeGreaterThanOrEqual(245);
    expect(second - begun).toBeGreaterThanOrEqual(PACE.first - 5);
  });

  it('are close while looks at this VIM are saved, and then no more than all others, whoever they are for', async () => {
    const watch = openStack.watch!;
    for (let look = 0; look < 5; look++) {
      const now = performance.now();
      await watch.look(REF, { since: now - 20_000, last: now, until: now + 60_000, looks: 0, isNear: true });
    }
    // Three were saved beside the first; the fifth has to be saved first, from when the first was sent.
    expect(lookedAt[1]! - lookedAt[0]!).toBeGreaterThanOrEqual(PACE.close - 2);
    expect(lookedAt[4]! - lookedAt[0]!).toBeGreaterThanOrEqual(PACE.first - 500);
  });

  it('are expected by stacks that had as many others beside them', async () => {
    const ends = Promise.all([created(KIND), created(KIND)]);
    await looks(1);
    status = 'CREATE_COMPLETE';
    await ends;
    expect(usual().of(KIND, 1)).toBeUndefined();
    expect(usual().of(KIND, 2)?.to).toBeGreaterThan(0);
    expect(openStack.watch?.atOnce).toBe(0);
  });

  it('are sent at once, and as all others, where nothing is known of the kind', async () => {
    usual().ended('CREATE b', 1, 100, 100);
    const begun = performance.now();
    const end = created(KIND);
    await looks(2);
    status = 'CREATE_COMPLETE';
    await end;
    expect(lookedAt[1]! - begun).toBeGreaterThanOrEqual(PACE.first - 2);
    expect(usual().of(KIND, 1)?.from).toBeGreaterThan(0);
  });

  it('go on as all others long after the usual time', async () => {
    openStack.close();
    openStack = OpenStack.watching(vim.connection(), {}, { ...PACE, first: millis(200), behind: millis(10), saved: 1 });
    usual().ended(KIND, 1, 1, 1);
    const end = created(KIND);
    await looks(4);
    status = 'CREATE_COMPLETE';
    await end;
    // Two were close; a request that was late makes the pause before the next one shorter by that.
    expect(lookedAt[3]! - lookedAt[1]!).toBeGreaterThanOrEqual(300);
  });

  it('learn nothing from a wait of no kind: somebody else asked Heat, at a time that nobody knows', async () => {
    status = 'CREATE_COMPLETE';
    await created(undefined);
    expect(usual().of(KIND, 1)).toBeUndefined();
  });

  it('learn from the end of a deletion', async () => {
    status = 'DELETE_COMPLETE';
    more = { deletion_time: '2026-11-20T23:53:38Z' };
    await waitForDeletion(openStack.heat, REF, { within: seconds(60), kind: 'DELETE' });
    expect(usual().of('DELETE', 1)?.to).toBeLessThan(PACE.first);
  });
});
