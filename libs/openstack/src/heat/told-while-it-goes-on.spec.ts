import { seconds } from '@windlass/foundation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CountedLooks } from '../testing/counted-looks.js';
import type { HeatApi } from './heat-api.js';
import type { StackResource, StackSummary } from './heat-types.js';
import type { StackProgress } from './stack-waiting.js';
import { waitForStack } from './stack-waiting.js';

const REF = { name: 'vnf-a', id: 'a' };

/** A creation that takes so long, where `usual` is usual: when it was asked what, in milliseconds. */
async function created(took: number, usual: number) {
  const looks = new CountedLooks({ from: usual, to: usual }, (now) => {
    const status = now < took ? 'CREATE_IN_PROGRESS' : 'CREATE_COMPLETE';
    return { ...REF, status, statusReason: '' } as StackSummary;
  });
  vi.spyOn(performance, 'now').mockImplementation(() => looks.now);
  const resources = [{ name: 'VDU1', status: 'CREATE_IN_PROGRESS', physicalId: 'server-1' }] as StackResource[];
  const counted: number[] = [];
  const heat = {
    watch: looks,
    listResources: () => {
      counted.push(looks.now);
      return Promise.resolve(resources);
    },
  } as unknown as HeatApi;
  const listed: unknown[] = [];
  const soon: number[] = [];
  const told: StackProgress[] = [];
  await waitForStack(heat, REF, 'CREATE', {
    within: seconds(3_600),
    kind: 'CREATE a',
    onProgress: (progress) => void told.push(progress),
    ahead: { listed: (of) => void listed.push(of), endsSoon: () => void soon.push(looks.now) },
  });
  return { sent: looks.sent, counted, listed, resources, soon, told };
}

describe('a stack that is waited for', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is listed once in the second half of its time, for progress and for who needs it then', async () => {
    const { counted, listed, resources, told } = await created(4_000, 4_000);
    expect(counted).toHaveLength(1);
    expect(counted[0]).toBeGreaterThanOrEqual(2_000);
    expect(counted[0]).toBeLessThan(3_850);
    expect(listed).toEqual([resources]);
    expect(told).toEqual([{ complete: 0, total: 1 }]);
  });

  it('is said to end soon at the looks around its usual time, and at no others', async () => {
    const { soon } = await created(4_100, 4_000);
    expect(soon.length).toBeGreaterThan(0);
    expect(soon[0]).toBeGreaterThanOrEqual(3_850);
    const { soon: late } = await created(9_000, 4_000);
    expect(late.every((at) => at >= 3_850 && at < 4_600)).toBe(true);
    expect((await created(1_000, 4_000)).soon).toEqual([]);
  });

  it('costs no more requests than one at once and one each half second, its listing among them', async () => {
    for (const took of [3_100, 4_000, 4_500, 6_000]) {
      const { sent, counted } = await created(took, 4_000);
      expect(sent.length + counted.length).toBeLessThanOrEqual(took / 500 + 2);
    }
  });

  it('is not listed where three seconds are more than such stacks take', async () => {
    expect((await created(2_900, 2_900)).counted).toEqual([]);
  });
});
