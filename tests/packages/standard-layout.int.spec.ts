import type { JsonObject } from '@windlass/foundation';
import { describe, expect, test } from 'vitest';
import { readSample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { levelsIn, play, stackInputs } from '../lifecycle/support/desired-world.js';
import { derived, onNetwork, standardPackage, standardRequest } from './support/standard-package.js';

const STANDARD = derived('userdata_standard', 'StandardUserData');

async function instantiated(script: string): Promise<World> {
  const world = await World.start(await readSample('standard', standardPackage(script)));
  const id = world.accept('INSTANTIATE', standardRequest());
  await world.settle(id);
  expect(world.opOcc(id).error).toBeNull();
  expect(world.opOcc(id).operationState).toBe('COMPLETED');
  return world;
}

/** The numbers of the copies, by the VNFCs. */
const copies = ({ instance }: World): unknown[] =>
  (instance.instantiated?.info.vnfcResourceInfo ?? []).map(({ metadata }) => metadata?.vdu_idx).toSorted();

const servers = ({ instance }: World): Record<string, string> =>
  Object.fromEntries(
    (instance.instantiated?.info.vnfcResourceInfo ?? []).map(({ metadata, computeResource }) => [
      String(metadata?.vdu_idx),
      computeResource.resourceId,
    ]),
  );

/** What Heat has: names of the top template's resources, and the parameter nfv. */
async function stackOf(world: World): Promise<{ resources: string[]; nfv: JsonObject }> {
  const { has, wanted } = await stackInputs(world);
  expect(has, 'what the desired state alone would make').toEqual(wanted);
  const { resources } = has.template as { resources: JsonObject };
  return { resources: Object.keys(resources).toSorted(), nfv: (has.parameters as { nfv: JsonObject }).nfv };
}

describe('a package in the layout Standard, whose script makes a resource for each VNFC', () => {
  test('is instantiated, scaled out and in, connected otherwise and healed', async () => {
    const world = await instantiated(STANDARD);
    try {
      expect(copies(world)).toEqual([0, 1]);
      const vdu = { computeFlavourId: 'm1.tiny', vcImageId: 'cirros' };
      const at = (network: string) => ({ network });
      expect(await stackOf(world)).toEqual({
        resources: ['VDU1-0', 'VDU1-1'],
        nfv: {
          VDU: { 'VDU1-0': vdu, 'VDU1-1': vdu },
          CP: { 'VDU1_CP1-0': at('net0'), 'VDU1_CP1-1': at('net0') },
        },
      });
      const first = servers(world);

      expect((await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect([copies(world), levelsIn(world)]).toEqual([[0, 1, 2], { worker: 2 }]);
      expect((await stackOf(world)).resources).toEqual(['VDU1-0', 'VDU1-1', 'VDU1-2']);
      expect(servers(world)).toMatchObject(first);

      expect((await play(world, 'CHANGE_EXT_CONN', onNetwork('net1'))).state).toBe('COMPLETED');
      const moved = (await stackOf(world)).nfv.CP;
      expect(moved).toEqual({ 'VDU1_CP1-0': at('net1'), 'VDU1_CP1-1': at('net1'), 'VDU1_CP1-2': at('net1') });
      expect(servers(world)).toMatchObject(first);

      expect((await play(world, 'SCALE', { type: 'SCALE_IN', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect([copies(world), levelsIn(world)]).toEqual([[0, 1], { worker: 1 }]);
      expect(servers(world), 'the last goes').toEqual(first);
      expect(Object.keys((await stackOf(world)).nfv.CP as JsonObject)).toEqual(['VDU1_CP1-0', 'VDU1_CP1-1']);

      const healed = world.instance.instantiated?.info.vnfcResourceInfo?.find(({ metadata }) => metadata?.vdu_idx === 0);
      expect((await play(world, 'HEAL', { vnfcInstanceId: [healed?.id ?? ''] })).state).toBe('COMPLETED');
      const now = servers(world);
      expect(now['0']).not.toBe(first['0']);
      expect(now['1']).toBe(first['1']);

      expect((await play(world, 'SCALE', { type: 'SCALE_OUT', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect((await play(world, 'HEAL', {})).state, 'of the whole').toBe('COMPLETED');
      expect(copies(world)).toEqual([0, 1, 2]);
      expect((await stackOf(world)).nfv.CP).toMatchObject({ 'VDU1_CP1-2': at('net1') });
      await play(world, 'TERMINATE', { terminationType: 'FORCEFUL' });
      expect(world.troubles).toEqual([]);
    } finally {
      await world.close();
    }
  });

  test.each([
    ['SCALE', { type: 'SCALE_OUT', aspectId: 'worker' }, 'after-effect of resize-stack'],
    ['CHANGE_EXT_CONN', onNetwork('net1'), 'after-effect of reconnect-stack'],
  ] as const)('is as it was once a %s is rolled back', async (operation, request, point) => {
    const world = await instantiated(STANDARD);
    try {
      const [before, first] = [await stackOf(world), servers(world)];
      const played = await play(world, operation, request, { outcome: 'rolled back', point });
      expect(played).toEqual({ state: 'ROLLED_BACK', failed: true });
      expect(await stackOf(world)).toEqual(before);
      expect(servers(world)).toEqual(first);
    } finally {
      await world.close();
    }
  });

  test('that a scaling marked as failed has left too large is right once it is scaled again', async () => {
    const world = await instantiated(STANDARD);
    try {
      const out = { type: 'SCALE_OUT', aspectId: 'worker' };
      const played = await play(world, 'SCALE', out, { outcome: 'marked as failed', point: 'after-effect of resize-stack' });
      expect(played).toEqual({ state: 'FAILED', failed: true });
      expect([copies(world), levelsIn(world)]).toEqual([[0, 1, 2], { worker: 2 }]);
      expect((await play(world, 'SCALE', { type: 'SCALE_IN', aspectId: 'worker' })).state).toBe('COMPLETED');
      expect([copies(world), levelsIn(world)]).toEqual([[0, 1], { worker: 1 }]);
      expect((await stackOf(world)).resources).toEqual(['VDU1-0', 'VDU1-1']);
    } finally {
      await world.close();
    }
  });

  test.each([
    [
      'forgets the copies that come',
      'return {"parameters": {"nfv": {}}}',
      /makes 2 "VDU1" without an auto scaling group, 3 are wanted/,
    ],
    ['returns nothing', 'return None', /what is there does not fit: .* makes 2 "VDU1"/],
  ])('ends a scaling before anything is changed where its script %s', async (_, body, detail) => {
    const scale = `    @staticmethod\n    def scale(req, inst, grant_req, grant, tmp_csar_dir):\n        ${body}\n`;
    const world = await instantiated(derived('userdata_standard', 'StandardUserData', scale));
    try {
      const before = await stackOf(world);
      const id = world.accept('SCALE', { type: 'SCALE_OUT', aspectId: 'worker' });
      await world.settle(id);
      expect(world.opOcc(id)).toMatchObject({
        operationState: 'ROLLED_BACK',
        error: { detail: expect.stringMatching(detail) as string },
      });
      expect(await stackOf(world)).toEqual(before);
    } finally {
      await world.close();
    }
  });
});
