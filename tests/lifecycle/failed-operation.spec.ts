import type { JsonObject } from '@windlass/foundation';
import type { LcmOperation } from '@windlass/lifecycle';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSample, type Sample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { scalingPackage } from '../support/scaling-package.js';
import { desiredIn, instantiate, isAsDesired, play, type Outcome } from './support/desired-world.js';

let sample: Sample;
let world: World;

beforeAll(async () => {
  sample = await readSample('scaling', scalingPackage('b1bb0ce7-ebca-4fa7-95ed-4840d70a1177'));
});

beforeEach(async () => {
  world = await World.start(sample);
  await instantiate(world);
  await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'pair' });
});

afterEach(() => world.close());

const OUT = { type: 'SCALE_OUT', aspectId: 'pair' };
const IN = { type: 'SCALE_IN', aspectId: 'pair' };
const WIDER = { scaleInfo: [{ aspectId: 'worker', scaleLevel: 2 }] };
const OTHERWISE = {
  scaleInfo: [
    { aspectId: 'pair', scaleLevel: 0 },
    { aspectId: 'worker', scaleLevel: 1 },
  ],
};
const EVERY_VM = { additionalParams: { all: false } };
const ELSEWHERE = {
  extVirtualLinks: [
    {
      id: 'other',
      resourceId: 'net1',
      extCps: [{ cpdId: 'node_CP', cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }] }],
    },
  ],
};
const STOPPED = { changeStateTo: 'STOPPED' };
const FORCEFUL = { terminationType: 'FORCEFUL' };

const CASES: [LcmOperation, JsonObject, Outcome, string][] = [
  ['SCALE', OUT, 'rolled back', 'before-apply of resize-stack'],
  ['SCALE', OUT, 'rolled back', 'after-effect of resize-stack'],
  ['SCALE', OUT, 'marked as failed', 'after-effect of resize-stack'],
  ['SCALE', IN, 'rolled back', 'before-apply of survey-stack'],
  ['SCALE', IN, 'marked as failed', 'after-effect of resize-stack'],
  ['SCALE_TO_LEVEL', WIDER, 'rolled back', 'after-effect of resize-stack'],
  ['SCALE_TO_LEVEL', OTHERWISE, 'rolled back', 'before-apply of survey-stack'],
  ['SCALE_TO_LEVEL', OTHERWISE, 'marked as failed', 'after-effect of resize-stack'],
  ['HEAL', EVERY_VM, 'rolled back', 'after-effect of mark-unhealthy'],
  ['HEAL', EVERY_VM, 'marked as failed', 'after-effect of replace-servers'],
  ['HEAL', {}, 'rolled back', 'before-apply of find-heal-targets'],
  ['HEAL', {}, 'marked as failed', 'after-effect of delete-stack'],
  ['CHANGE_EXT_CONN', ELSEWHERE, 'rolled back', 'before-apply of reconnect-stack'],
  ['CHANGE_EXT_CONN', ELSEWHERE, 'rolled back', 'after-effect of reconnect-stack'],
  ['CHANGE_EXT_CONN', ELSEWHERE, 'marked as failed', 'after-effect of reconnect-stack'],
  ['OPERATE', STOPPED, 'rolled back', 'after-effect of power-server:web-1'],
  ['OPERATE', STOPPED, 'marked as failed', 'after-effect of power-server:web-1'],
  ['TERMINATE', FORCEFUL, 'marked as failed', 'before-apply of delete-stack'],
];

describe('an operation that fails', () => {
  it.each(CASES)('leaves what the instance should be: %s %j, %s, %s', async (operation, request, outcome, point) => {
    const before = structuredClone(desiredIn(world));
    const { state, failed } = await play(world, operation, request, { outcome, point });
    expect(failed, `it fails ${point}`).toBe(true);
    expect(state).toBe(outcome === 'rolled back' ? 'ROLLED_BACK' : 'FAILED');
    expect(desiredIn(world)).toEqual(before);
    if (outcome === 'rolled back') expect(await isAsDesired(world)).toBe(true);
    // Whatever it left behind: what is made anew is what it should be.
    expect((await play(world, 'HEAL', {})).state).toBe('COMPLETED');
    expect(desiredIn(world)).toEqual(before);
    expect(await isAsDesired(world)).toBe(true);
  });

  it('and is retried changes it, once it has completed', async () => {
    const { state, failed } = await play(world, 'SCALE', OUT, { outcome: 'retried', point: 'after-effect of resize-stack' });
    expect({ state, failed }).toEqual({ state: 'COMPLETED', failed: true });
    expect(desiredIn(world).scaleStatus).toContainEqual({ aspectId: 'pair', scaleLevel: 2 });
    expect(await isAsDesired(world)).toBe(true);
  });

  it('past its point of no return, a termination, leaves nothing that should be', async () => {
    const { state } = await play(world, 'TERMINATE', FORCEFUL, {
      outcome: 'marked as failed',
      point: 'after-effect of delete-stack',
    });
    expect({ state, desired: world.instance.desired }).toEqual({ state: 'FAILED', desired: null });
  });
});
