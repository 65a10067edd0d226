import { seconds } from '@windlass/foundation';
import type { ServedRequest } from '@windlass/lab';
import { STACK_PACE } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

/** Heat's own time for a stack: long enough for some looks. */
const TAKES_MS = 700;
/** Looks are sent so far apart at least. */
const APART_MS = 500;
/** How much later than it was sent a request may be noted here, where others come with it: who looks counts from the sending. */
const NOTED_LATE_MS = 100;
/** Ten at once on a busy machine. */
const WITHIN = seconds(50);

/** What was asked of the VIM: looks at the stacks that are waited for, and everything else but tokens, which are for many operations. */
class Asked {
  readonly looks: ServedRequest[];
  readonly others: string[];
  /** How often resources were listed for "x of y resources": of stacks that are older than three seconds. */
  readonly progress: number;
  readonly tokens: number;
  /** From the first request for a stack, or for its end, to the last look. */
  readonly lastedMs: number;

  constructor(requests: readonly ServedRequest[]) {
    this.looks = requests.filter(({ path }) => /\/stacks\?.*\bid=/.test(path));
    this.tokens = requests.filter(({ service, method }) => service === 'keystone' && method === 'POST').length;
    const others = requests.filter((one) => !this.looks.includes(one) && one.service !== 'keystone');
    const lastLook = this.looks.at(-1)?.at ?? 0;
    const ofStacks = others.filter(({ method, path }) => /^(POST|DELETE)$/.test(method) && path.includes('/stacks'));
    this.lastedMs = lastLook - Math.min(lastLook, ...ofStacks.map(({ at }) => at));
    const isProgress = ({ path, at }: ServedRequest): boolean => path.includes('/resources') && at < lastLook;
    this.progress = others.filter(isProgress).length;
    this.others = others.filter((one) => !isProgress(one)).map(({ method, path }) => `${method} ${path}`);
  }

  /** Beside those of the package's images. */
  get own(): string[] {
    return this.others.filter((one) => !one.includes(' /image/'));
  }

  /** Those of the package's images. */
  get images(): string[] {
    return this.others.filter((one) => one.includes(' /image/'));
  }

  /** Of one stack: a look at once, and one each half second since Heat was asked, wherever between they are. */
  get allowedLooks(): number {
    return Math.floor((this.lastedMs + NOTED_LATE_MS) / APART_MS) + 1;
  }

  /** Of any number of stacks of one VIM: those that were asked for at other moments have looks at other moments, out of what the VIM is spared (ADR 117). */
  get allowedListings(): number {
    return Math.floor((2 * this.lastedMs) / 1_000) + 7;
  }

  /** When the VIM was asked, in milliseconds before the last look: for a failure to be understood. */
  get times(): string {
    const last = this.looks.at(-1)?.at ?? 0;
    return (
      this.looks.map(({ at, path }) => `${Math.round(at - last)}: ${[...path.matchAll(/\bid=/g)].length} stacks`).join(', ') +
      `; asked for ${Math.round(this.lastedMs)} ms before`
    );
  }

  /** How many stacks a look shows, and how many looks show a stack, at most. */
  get mostShown(): { stacks: number; looks: number } {
    const shown = this.looks.map(({ path }) => [...path.matchAll(/\bid=([^&]+)/g)].map(([, id]) => id));
    const looks = new Map<string | undefined, number>();
    for (const id of shown.flat()) looks.set(id, (looks.get(id) ?? 0) + 1);
    return { stacks: Math.max(...shown.map(({ length }) => length)), looks: Math.max(...looks.values()) };
  }
}

describe('what an operation asks of its VIM', () => {
  let system: System;
  let vnfdId: unknown;
  beforeAll(async () => {
    system = await startSystem({ stackPace: STACK_PACE });
    await registerVim(system);
    vnfdId = (await onboard(system.api, 'simple-vm')).vnfdId;
    system.emulator.faults.add({ kind: 'slow-stack', delayMs: TAKES_MS, times: 'always' });
  });
  afterAll(() => system.close());

  const during = async (urls: readonly string[], work: (url: string) => Promise<void>): Promise<Asked> => {
    const before = system.emulator.requests.length;
    await Promise.all(urls.map(work));
    return new Asked(system.emulator.requests.slice(before));
  };
  const instantiate = async (url: string): Promise<void> => {
    const request = await sampleRequest('instantiate-simple-vm.json', 'net0');
    const ended = await atRest(system.api, await system.api.post(`${url}/instantiate`, request), WITHIN);
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
  };
  const terminate = async (url: string): Promise<void> => {
    const accepted = await system.api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' });
    const ended = await atRest(system.api, accepted, WITHIN);
    expect(ended, JSON.stringify(ended)).toMatchObject({ operationState: 'COMPLETED' });
  };
  const vnfs = (count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => createVnf(system.api, vnfdId)));

  /** Those of images, without their ids. */
  const ofImages = ({ images }: Asked): string[] =>
    images.map((one) => one.replaceAll(/[0-9a-f-]{36}/g, 'ID').replace(/\/image\/v2/, ''));

  it('is seven things for one VM, none of them twice, and two for its end, beside a look each half second and its own image', async () => {
    await system.replaceCoordinator(false);
    const urls = await vnfs(1);
    const made = await during(urls, instantiate);
    expect(made.own.length, made.own.join('\n')).toBeLessThanOrEqual(7);
    // The request says nothing of addresses, so nobody has to know what subnets the network has.
    expect(made.own.filter((one) => one.includes('/subnets'))).toEqual([]);
    // Nobody can have made it before: it is asked for without a look.
    expect(made.own.filter((one) => /^GET .*\/stacks\/[^/]*$/.test(one))).toEqual([]);
    expect(new Set(made.own).size, made.own.join('\n')).toBe(made.own.length);
    // The image is made without a look, gets its bytes, and is looked at until Glance can use it.
    expect(ofImages(made)).toEqual(['POST /images', 'PUT /images/ID/file', 'GET /images/ID']);
    expect(made.looks.length).toBeGreaterThanOrEqual(2);
    expect(made.looks.length).toBeLessThanOrEqual(made.allowedLooks);
    // A stack that is made within three seconds is not asked how far it is.
    if (made.lastedMs < 3_000) expect(made.progress).toBe(0);

    const gone = await during(urls, terminate);
    expect(gone.own.map((one) => one.replace(/ .*\//, ' '))).toEqual([
      expect.stringMatching(/^GET .*\?resolve_outputs=false$/),
      expect.stringMatching(/^DELETE /),
    ]);
    expect(gone.looks.length).toBeLessThanOrEqual(gone.allowedLooks);
  });

  it('is one look at an image that another VNF has brought already, and as many things beside it', async () => {
    await system.replaceCoordinator(true);
    const [first, second] = (await vnfs(2)) as [string, string];
    const brought = await during([first], instantiate);
    const asked = ofImages(brought);
    expect(asked.filter((one) => !one.startsWith('GET '))).toEqual([
      'POST /images',
      'PUT /images/ID/file',
      'PUT /images/ID/tags/windlass-compared',
    ]);
    // The look, the look in the image's place, what an upload that died has left there, and the image until Glance can use it.
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(11);
    const made = await during([second], instantiate);
    expect(ofImages(made)).toEqual(['GET /images/ID']);
    expect(made.own.length, made.own.join('\n')).toBeLessThanOrEqual(7);
    expect(new Set(made.own).size, made.own.join('\n')).toBe(made.own.length);
    const gone = await during([second], terminate);
    expect([gone.own.length, ofImages(gone)]).toEqual([2, []]);
    await during([first], terminate);
  });

  it('is as many looks at each of ten at once as at one, and they are shown together: listings of all stay within what the VIM is spared', async () => {
    const urls = await vnfs(10);
    const made = await during(urls, instantiate);
    // Whoever looks before the 202 and whoever makes the stacks have logged in for the first.
    expect(made.tokens).toBe(0);
    expect(made.mostShown.stacks).toBeGreaterThan(1);
    const gone = await during(urls, terminate);
    for (const asked of [made, gone]) {
      expect(asked.mostShown.looks, asked.times).toBeLessThanOrEqual(asked.allowedLooks);
      expect(asked.looks.length).toBeLessThanOrEqual(asked.allowedListings);
    }
  });
});
