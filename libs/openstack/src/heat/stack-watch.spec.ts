import { setTimeout as pause } from 'node:timers/promises';
import { millis, minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim, PASSWORD, type Reply, type SeenRequest } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import type { StackPace } from './stack-looks.js';
import { STACK_PACE } from './stack-watch.js';
import { waitForDeletion, waitForStack, waitUntilQuiet, type StackProgress, type StackWait } from './stack-waiting.js';

const STACKS = '/heat/v1/p/stacks';
const LISTING = /^\/heat\/v1\/p\/stacks\?/;
const PACE: StackPace = { ...STACK_PACE, first: millis(20), most: millis(100), restFactor: 1 };
const wait: StackWait = { within: seconds(60) };

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const refOf = (number: number) => ({ name: `vnf-${number}`, id: idOf(number) });
const idsIn = ({ path }: SeenRequest): string[] => new URL(path, 'http://x').searchParams.getAll('id');

/** A Heat whose stacks have the states that the test says, listed as the real one lists them. */
class Stacks {
  readonly #shown = new Map<string, JsonObject>();
  readonly listedAt: number[] = [];
  constructor(readonly vim: FakeVim) {
    vim.on('GET', LISTING, (seen) => this.list(idsIn(seen)));
    vim.on('GET', /\/stacks\/[^/?]+\/[^/?]+(\?|$)/, ({ path }) => {
      const shown = this.#shown.get(path.split('?')[0]!.split('/').at(-1)!);
      return shown === undefined ? { status: 404 } : { status: 200, json: { stack: shown } };
    });
    vim.on('GET', /\/resources(\?|$)/, { status: 200, json: { resources: [] } });
  }

  show(number: number, status: string, change: JsonObject = {}): this {
    const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
    const own = {
      id: idOf(number),
      stack_name: `vnf-${number}`,
      stack_status: status,
      stack_status_reason: `reason of ${status}`,
    };
    this.#shown.set(idOf(number), { ...stack, tags: null, ...own, ...change });
    return this;
  }

  forget(number: number): void {
    this.#shown.delete(idOf(number));
  }

  list(ids: readonly string[]): Reply {
    this.listedAt.push(performance.now());
    return { status: 200, json: { stacks: ids.flatMap((id) => this.#shown.get(id) ?? []) } };
  }

  get listings(): SeenRequest[] {
    return this.vim.requests.filter(({ method, path }) => method === 'GET' && path.startsWith('/heat/v1/p/stacks?'));
  }

  get others(): string[] {
    return this.vim.serviceRequests
      .filter(({ path }) => !path.startsWith('/heat/v1/p/stacks?'))
      .map(({ method, path }) => `${method} ${path}`);
  }
}

const until = (condition: () => boolean, what: string): Promise<boolean> =>
  waitUntil(() => Promise.resolve(condition() || undefined), { for: what, within: seconds(60), every: millis(5) });

describe('stacks that are watched together', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let stacks: Stacks;
  const others: OpenStack[] = [];
  const open = (pace = PACE, change = {}): OpenStack => {
    const opened = OpenStack.watching(vim.connection(change), {}, pace);
    others.push(opened);
    return opened;
  };
  const created = (number: number, more: Partial<StackWait> = {}, through = openStack) =>
    waitForStack(through.heat, refOf(number), 'CREATE', { ...wait, ...more });

  beforeEach(async () => {
    vim = await FakeVim.start();
    stacks = new Stacks(vim);
    openStack = open();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const opened of others.splice(0)) opened.close();
    await vim.close();
  });

  it('cost one listing for all of them, by their ids, deleted ones too, and nothing else', async () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    for (const number of numbers) stacks.show(number, 'CREATE_IN_PROGRESS');
    const ends = Promise.all(numbers.map((number) => created(number)));
    await until(() => stacks.listings.length > 3, 'four listings');
    for (const number of numbers) stacks.show(number, 'CREATE_COMPLETE');
    expect((await ends).map(({ id, status }) => [id, status])).toEqual(
      numbers.map((number) => [idOf(number), 'CREATE_COMPLETE']),
    );
    expect(stacks.others).toEqual([]);
    for (const { path } of stacks.listings) expect(path).toMatch(/^\/heat\/v1\/p\/stacks\?show_deleted=true&limit=10&id=/);
    for (const listing of stacks.listings) expect(idsIn(listing).toSorted()).toEqual(numbers.map(idOf));
  });

  it('are 151: two listings, of which none has more than 150 ids', async () => {
    const numbers = Array.from({ length: 151 }, (_, index) => index);
    for (const number of numbers) stacks.show(number, 'CREATE_COMPLETE');
    await Promise.all(numbers.map((number) => created(number)));
    expect(stacks.listings.map((listing) => idsIn(listing).length)).toEqual([150, 1]);
    expect(stacks.listings.flatMap(idsIn).toSorted()).toEqual(numbers.map(idOf));
    for (const { path } of stacks.listings) expect(path.length).toBeLessThan(6_200);
  });

  it('have looks with pauses: young ones each half second, old ones after a twentieth of their age', async () => {
    const pace = { ...PACE, first: millis(50), most: millis(50) };
    const slow = open(pace);
    stacks.show(1, 'CREATE_IN_PROGRESS').show(2, 'CREATE_IN_PROGRESS');
    const begun = performance.now();
    const ends = Promise.all([created(1, {}, slow), created(2, {}, slow)]);
    await until(() => stacks.listings.length >= 8, 'eight listings');
    const took = performance.now() - begun;
    expect(stacks.listings.length).toBeLessThanOrEqual(took / 50 + 1);
    stacks.show(1, 'CREATE_COMPLETE').show(2, 'CREATE_COMPLETE');
    await ends;
  });

  it('are looked at each half second for ten seconds, then after a twentieth of their age, each five seconds at most', async () => {
    expect(STACK_PACE).toMatchObject({ first: 500, share: 0.05, most: 5_000 });
    expect(STACK_PACE.first / STACK_PACE.share).toBe(seconds(10));
    // The same form, forty times as quick: from 50 ms of age on pauses grow with it.
    const slow = open({ ...PACE, first: millis(15), share: 0.3, most: seconds(5) });
    stacks.show(1, 'CREATE_IN_PROGRESS');
    const begun = performance.now();
    const end = created(1, {}, slow);
    await until(() => (stacks.listedAt.at(-1) ?? 0) - begun > 600, 'a look at an age of 0.6 s');
    stacks.show(1, 'CREATE_COMPLETE');
    await end;
    const ages = stacks.listedAt.map((at) => at - begun);
    for (const [index, age] of ages.slice(1).entries()) {
      const before = ages[index] ?? 0;
      if (before > 100) expect(age - before, ages.join(' ')).toBeGreaterThanOrEqual(before * 0.3 - 20);
    }
  });

  it('leave no timer behind when nobody waits any more, whether they leave between two looks or in one', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const rare = open({ ...PACE, first: seconds(17), most: seconds(17) });
    stacks.show(1, 'CREATE_IN_PROGRESS');
    const control = new AbortController();
    const between = created(1, { signal: control.signal }, rare);
    const next = (): number => set.mock.calls.findIndex(([, delay = 0]) => delay > 15_500 && delay <= 17_000);
    await until(() => next() >= 0, 'the next look to be set');
    expect(rare.watch?.waits).toBe(1);
    control.abort(new Error('the lease is lost'));
    await expect(between).rejects.toThrow('the lease is lost');
    expect(rare.watch?.waits).toBe(0);
    expect(cleared).toHaveBeenCalledWith(set.mock.results[next()]?.value);

    vim.on('GET', LISTING, 'hang');
    const leaving = new AbortController();
    const inOne = created(1, { signal: leaving.signal });
    await until(() => stacks.listings.length > 1, 'the listing that hangs');
    leaving.abort(new Error('cancelled'));
    await expect(inOne).rejects.toThrow('cancelled');
    expect(openStack.watch?.waits).toBe(0);
  });

  it('of whom one is cancelled: the others go on, and it is asked for no more', async () => {
    stacks.show(1, 'CREATE_IN_PROGRESS').show(2, 'CREATE_IN_PROGRESS');
    const control = new AbortController();
    const cancelled = created(1, { signal: control.signal });
    const other = created(2);
    await until(() => stacks.listings.some((listing) => idsIn(listing).length === 2), 'a listing of both');
    control.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow(/cancelled|aborted/);
    const from = stacks.listings.length;
    await until(() => stacks.listings.length > from + 1, 'more listings');
    expect(stacks.listings.slice(from).flatMap(idsIn)).not.toContain(idOf(1));
    stacks.show(2, 'CREATE_COMPLETE');
    await expect(other).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
  });

  it('are never told of a listing that was asked for before their wait began', async () => {
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    stacks.show(1, 'UPDATE_COMPLETE');
    let listings = 0;
    vim.on('GET', LISTING, async (seen) => {
      const shown = stacks.list(idsIn(seen));
      if (++listings === 1) await late;
      return shown;
    });
    const first = waitForStack(openStack.heat, refOf(1), 'UPDATE', wait);
    await until(() => listings === 1, 'a listing under way');
    // It shows the end of the first update; the second begins now.
    stacks.show(1, 'UPDATE_IN_PROGRESS');
    const second = waitForStack(openStack.heat, refOf(1), 'UPDATE', wait);
    answer();
    await first;
    await until(() => listings > 2, 'later listings');
    stacks.show(1, 'UPDATE_COMPLETE', { stack_status_reason: 'the second' });
    await expect(second).resolves.toMatchObject({ statusReason: 'the second' });
  });

  it('that vanish from the listing are looked at alone before they count as gone', async () => {
    stacks.show(1, 'CREATE_IN_PROGRESS');
    let listings = 0;
    // A replica of Heat that is behind shows nothing, twice.
    vim.on('GET', LISTING, (seen) => stacks.list(++listings <= 2 ? [] : idsIn(seen)));
    const waiting = created(1);
    await until(() => listings > 3, 'listings');
    stacks.show(1, 'CREATE_COMPLETE');
    await expect(waiting).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
    expect(stacks.others).toEqual(Array(2).fill(`GET ${STACKS}/vnf-1/${idOf(1)}?resolve_outputs=false`));
    stacks.forget(1);
    await expect(created(1)).rejects.toMatchObject({ code: 'heat.stack-not-found' });
    await waitForDeletion(openStack.heat, refOf(1), wait);
  });

  it('fail with the reasons of nested resources, and the time that Heat had, asked for once they have ended', async () => {
    const resources = recorded('full_group_08_resources_after_failed_heal');
    vim.replay(resources, `/heat/stacks/vnf-1/${idOf(1)}/resources`);
    stacks.show(1, 'UPDATE_FAILED', { stack_status_reason: 'UPDATE timed out', timeout_mins: 20 });
    const failure = await waitForStack(openStack.heat, refOf(1), 'UPDATE', { ...wait, setting: 'STACK_WITHIN' }).catch(
      (error: unknown) => error as Error,
    );
    expect(failure).toMatchObject({ name: 'TerminalError', code: 'stack.update-failed' });
    expect((failure as Error).message).toMatch(
      /q2ao7cmld66l\/VDU1 .*Heat had 20 minutes for it: for more time raise STACK_WITHIN/,
    );
    expect(stacks.others).toHaveLength(2);
  });

  it('see through a Heat that answers 500 or nothing, and give it up after a minute', async () => {
    const out: Reply[] = [{ status: 500, text: 'restarting' }, 'reset', { status: 503, text: 'restarting' }];
    stacks.show(1, 'CREATE_IN_PROGRESS').show(2, 'CREATE_IN_PROGRESS');
    vim.on('GET', LISTING, (seen) => out.shift() ?? stacks.list(idsIn(seen)));
    const both = Promise.all([created(1), created(2)]);
    await until(() => out.length === 0, 'the outage to be over');
    stacks.show(1, 'CREATE_COMPLETE').show(2, 'CREATE_COMPLETE');
    await both;
    expect(stacks.others).toEqual([]);

    vim.on('GET', LISTING, { status: 500, text: 'broken' });
    const given = created(1, { within: minutes(5) });
    given.catch(() => undefined);
    const from = stacks.listings.length;
    await until(() => stacks.listings.length > from + 1, 'a failed look');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 61_000);
    await expect(given).rejects.toMatchObject({ name: 'TransientError', code: 'openstack.server-error' });
  });

  it('are each looked at alone where Heat refuses to list, or lists what cannot be read', async () => {
    stacks.show(1, 'CREATE_COMPLETE').show(2, 'OF_THE_FUTURE');
    const [one, two] = await Promise.allSettled([created(1), created(2)]);
    expect(one).toMatchObject({ status: 'fulfilled' });
    expect(two).toMatchObject({ status: 'rejected', reason: { code: 'openstack.unexpected-answer' } });
    vim.on('GET', LISTING, { status: 403, json: { code: 403, title: 'Forbidden', error: { type: 'Forbidden', message: 'no' } } });
    await expect(created(1)).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
  });

  it('of a VIM that hangs hold up those of no other VIM', async () => {
    const hung = await FakeVim.start();
    hung.on('GET', LISTING, 'hang');
    const dead = OpenStack.watching(hung.connection(), {}, PACE);
    const control = new AbortController();
    const never = created(1, { signal: control.signal }, dead);
    await until(() => hung.serviceRequests.length === 1, 'the listing that hangs');
    for (const number of [1, 2, 3]) {
      stacks.show(number, 'CREATE_COMPLETE');
      await created(number);
    }
    control.abort(new Error('over'));
    await expect(never).rejects.toThrow(/over/);
    dead.close();
    await hung.close();
  });

  it('that come after a listing which hangs are looked at by another', async () => {
    let listings = 0;
    vim.on('GET', LISTING, (seen) => (++listings === 1 ? 'hang' : stacks.list(idsIn(seen))));
    const control = new AbortController();
    const hung = created(1, { signal: control.signal });
    await until(() => listings === 1, 'the listing that hangs');
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 6_000);
    stacks.show(2, 'CREATE_COMPLETE');
    await expect(created(2)).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
    control.abort(new Error('over'));
    await expect(hung).rejects.toThrow(/over/);
  });

  it('of two users of one VIM are asked for by each with his own token alone', async () => {
    const other = open(PACE, { credentials: { ...vim.connection().credentials, username: 'other' } });
    stacks.show(1, 'CREATE_IN_PROGRESS').show(2, 'CREATE_IN_PROGRESS');
    const ends = Promise.all([created(1), created(2, {}, other)]);
    await until(() => stacks.listings.length > 5, 'listings');
    stacks.show(1, 'CREATE_COMPLETE').show(2, 'CREATE_COMPLETE');
    await ends;
    const asked = new Map<unknown, Set<string>>();
    for (const listing of stacks.listings) {
      const token = listing.headers['x-auth-token'];
      asked.set(token, new Set([...(asked.get(token) ?? []), ...idsIn(listing)]));
    }
    expect([...asked.values()].map((ids) => [...ids])).toEqual(expect.arrayContaining([[idOf(1)], [idOf(2)]]));
    expect(asked.size).toBe(2);
    expect(vim.authentications.map(({ body }) => body.includes(PASSWORD))).toEqual([true, true]);
  });

  it('survive a token that ends meanwhile', async () => {
    stacks.show(1, 'CREATE_IN_PROGRESS');
    const waiting = created(1);
    await until(() => stacks.listings.length > 1, 'two listings');
    vim.tokens.clear();
    await until(() => vim.authentications.length === 2, 'another token');
    stacks.show(1, 'CREATE_COMPLETE');
    await expect(waiting).resolves.toMatchObject({ status: 'CREATE_COMPLETE' });
  });

  it('have names as long as Heat takes, which are in no listing', async () => {
    const name = 'v'.repeat(255);
    stacks.show(1, 'CREATE_COMPLETE', { stack_name: name });
    await waitForStack(openStack.heat, { name, id: idOf(1) }, 'CREATE', wait);
    expect(stacks.listings.map(({ path }) => path)).toEqual([`${STACKS}?show_deleted=true&limit=1&id=${idOf(1)}`]);
  });

  it('that are quiet are known to be by one look alone, and those that are not wait with the others', async () => {
    stacks.show(1, 'UPDATE_COMPLETE');
    await waitUntilQuiet(openStack.heat, refOf(1), wait);
    expect(stacks.listings).toEqual([]);
    stacks.show(1, 'UPDATE_IN_PROGRESS');
    const quiet = waitUntilQuiet(openStack.heat, refOf(1), wait);
    await until(() => stacks.listings.length > 1, 'two listings');
    stacks.show(1, 'UPDATE_FAILED');
    await expect(quiet).resolves.toEqual([]);
  });

  it('have their resources counted from an age of three seconds on, one stack of the VIM at a time', async () => {
    stacks.show(1, 'CREATE_IN_PROGRESS').show(2, 'CREATE_IN_PROGRESS');
    const counts = (): number => stacks.others.filter((one) => one.includes('/resources')).length;
    let [shift, under, most] = [0, 0, 0];
    const now = performance.now.bind(performance);
    const begun = now();
    vi.spyOn(performance, 'now').mockImplementation(() => now() + shift);
    vim.on('GET', /\/resources(\?|$)/, async () => {
      most = Math.max(most, ++under);
      await pause(30);
      under -= 1;
      return { status: 200, json: { resources: [] } };
    });
    const told: StackProgress[] = [];
    const onProgress = (progress: StackProgress): void => void told.push(progress);
    const ends = Promise.all([created(1, { onProgress }), created(2, { onProgress })]);
    await until(() => stacks.listings.length > 3, 'looks at young stacks');
    if (now() - begun < 2_500) expect(counts()).toBe(0);
    shift = 3_500;
    await until(() => counts() === 2, 'a count of each');
    shift = 4_500;
    const from = stacks.listings.length;
    await until(() => stacks.listings.length > from + 3, 'looks before it is time again');
    stacks.show(1, 'CREATE_COMPLETE').show(2, 'CREATE_COMPLETE');
    await ends;
    expect(most).toBe(1);
    expect(told.slice(0, 2)).toEqual(Array(2).fill({ complete: 0, total: 0 }));
  });

  it('throw at the end of their time what was seen last', async () => {
    stacks.show(1, 'CREATE_IN_PROGRESS');
    await expect(created(1, { within: millis(60) })).rejects.toMatchObject({
      code: 'wait.timeout',
      message: `waited 60 ms for stack vnf-1/${idOf(1)} to be CREATE_COMPLETE; last seen: CREATE_IN_PROGRESS`,
    });
  });
});
