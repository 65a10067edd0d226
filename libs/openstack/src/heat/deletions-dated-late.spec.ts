import { millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpenStack } from '../openstack.js';
import { FakeVim } from '../testing/fake-vim.js';
import { recorded } from '../testing/recorded.js';
import { STACK_PACE } from './stack-watch.js';
import { waitForDeletion } from './stack-waiting.js';

const REF = { name: 'vnf-1', id: '00000000-0000-4000-8000-000000000001' };
const NAMED = `/heat/v1/p/stacks/${REF.name}`;
const DATE = '2026-11-20T23:52:38Z';
const wait = { within: seconds(60) };

describe('a deletion that is complete, and not dated yet: Heat lets go of trusts and of the name', () => {
  let vim: FakeVim;
  let openStack: OpenStack;
  let shown: JsonObject;
  let listings: number;
  beforeEach(async () => {
    vim = await FakeVim.start();
    openStack = OpenStack.watching(vim.connection(), {}, { ...STACK_PACE, first: millis(20), most: millis(100), restFactor: 1 });
    listings = 0;
    vim.on('GET', /^\/heat\/v1\/p\/stacks\?/, () => {
      listings += 1;
      const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
      return { status: 200, json: { stacks: [{ ...stack, tags: null, id: REF.id, stack_name: REF.name, ...shown }] } };
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    openStack.close();
    await vim.close();
  });

  const looks = (more: number): Promise<boolean> => {
    const from = listings;
    return waitUntil(() => Promise.resolve(listings > from + more || undefined), {
      for: `${more} looks`,
      within: seconds(60),
      every: millis(5),
    });
  };
  const others = (): string[] =>
    vim.serviceRequests.filter(({ path }) => !path.includes('?')).map(({ method, path }) => `${method} ${path}`);

  it('is waited for by listings alone', async () => {
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: null };
    let isOver = false;
    const gone = waitForDeletion(openStack.heat, REF, wait).then(() => (isOver = true));
    await looks(3);
    expect(isOver).toBe(false);
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: DATE };
    await gone;
    expect(others()).toEqual([]);
  });

  it('is looked at again soon, and not after the pause of others', async () => {
    openStack.close();
    openStack = OpenStack.watching(vim.connection(), {}, { ...STACK_PACE, first: seconds(10), close: millis(30) });
    const now = performance.now.bind(performance);
    let shift = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + shift);
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: null };
    const gone = waitForDeletion(openStack.heat, REF, wait);
    // It has been waited for so long that a look more is no more than one each pause.
    shift = 11_000;
    await looks(0);
    const lookedAt = now();
    await looks(0);
    expect(now() - lookedAt).toBeLessThan(seconds(8));
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: DATE };
    shift = 60_000;
    await gone;
  });

  it('is looked for by its name after three seconds, and asked for again, as after the death of an engine', async () => {
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: null };
    vim.on('GET', NAMED, { status: 302, headers: { Location: `${vim.url}${NAMED}/${REF.id}` } });
    const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
    vim.on('GET', /\/stacks\/vnf-1\/[^/]+$/, () => ({ status: 200, json: { stack: { ...stack, id: REF.id, ...shown } } }));
    vim.on('DELETE', `${NAMED}/${REF.id}`, () => {
      shown = { stack_status: 'DELETE_COMPLETE', deletion_time: DATE };
      return { status: 204 };
    });
    const now = performance.now.bind(performance);
    let shift = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + shift);
    const gone = waitForDeletion(openStack.heat, REF, wait);
    await looks(2);
    shift = 3_500;
    await gone;
    expect(others()).toEqual([`GET ${NAMED}`, `GET ${NAMED}/${REF.id}`, `DELETE ${NAMED}/${REF.id}`]);
  });

  it('is over after three seconds where its name is free all the same', async () => {
    shown = { stack_status: 'DELETE_COMPLETE', deletion_time: null };
    vim.on('GET', NAMED, { status: 404 });
    const now = performance.now.bind(performance);
    let shift = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + shift);
    const gone = waitForDeletion(openStack.heat, REF, wait);
    await looks(2);
    shift = 3_500;
    await gone;
    expect(others()).toEqual([`GET ${NAMED}`]);
  });
});
