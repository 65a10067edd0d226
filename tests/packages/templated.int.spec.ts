import type { JsonObject } from '@windlass/foundation';
import { zipOf } from '@windlass/vnf-package/testing';
import { describe, expect, test } from 'vitest';
import { readSample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { levelsIn, stackInputs } from '../lifecycle/support/desired-world.js';
import { TEMPLATED, templated, type Templated } from './support/templated.js';

const CASES = Object.entries(TEMPLATED).flatMap(([name, shape]) =>
  Object.entries(shape.begins).map(([flavourId, begins]) => ({ name, flavourId, begins, shape })),
);

/** Every connection point of the VDUs on one network. */
const request = (flavourId: string, begins: Templated['begins'][string]): JsonObject => ({
  flavourId,
  extVirtualLinks: [
    {
      id: 'net',
      resourceId: 'net0',
      extCps: Object.keys(begins).map((vdu) => ({
        cpdId: `${vdu}_CP`,
        cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
      })),
    },
  ],
});

const vnfcs = ({ instance }: World) => instance.instantiated?.vnfcs ?? [];
const counts = (world: World): Record<string, number> => {
  const vdus = vnfcs(world).map(({ vduId }) => vduId);
  return Object.fromEntries(vdus.map((vdu) => [vdu, vdus.filter((each) => each === vdu).length]));
};
/** Images that the VIM got of the package, and those that it carries, by name. */
const imagesIn = ({ emulator }: World) =>
  emulator
    .inventory()
    .flatMap(({ images }) => images.filter(({ tags }) => tags.includes('windlass')).map(({ name }) => name))
    .sort();
const carriedImages = ({ sample: { record } }: World) =>
  record.model.softwareImages
    .filter(({ imagePath }) => imagePath !== '')
    .map(({ name }) => name)
    .sort();
const completed = async (world: World, ...[operation, body]: [Parameters<World['accept']>[0], JsonObject]): Promise<void> => {
  const id = world.accept(operation, body);
  await world.settle(id);
  expect(world.opOcc(id), operation).toMatchObject({ operationState: 'COMPLETED', error: null });
  expect(world.troubles).toEqual([]);
};
/** The desired state alone makes the stack that there is. */
async function asItShouldBe(world: World): Promise<void> {
  const { has, wanted } = await stackInputs(world);
  expect(has).toEqual(wanted);
}

describe('a package with templates is instantiated, scaled, healed and leaves nothing', () => {
  test.each(CASES)('$name: $flavourId', async ({ name, flavourId, begins, shape: { aspect, scales } }) => {
    const world = await World.start(await readSample(name, zipOf(templated(name))));
    try {
      const before = JSON.stringify(world.emulator.inventory());
      await completed(world, 'INSTANTIATE', request(flavourId, begins));
      expect(counts(world)).toEqual(begins);
      expect(imagesIn(world)).toEqual(carriedImages(world));
      await asItShouldBe(world);

      const first = vnfcs(world).map(({ id }) => id);
      await completed(world, 'SCALE', { type: 'SCALE_OUT', aspectId: aspect });
      expect(levelsIn(world)).toEqual({ [aspect]: 1 });
      expect(counts(world)).toEqual({ ...begins, [scales]: (begins[scales] ?? 0) + 1 });
      expect(vnfcs(world).map(({ id }) => id)).toEqual(expect.arrayContaining(first));
      await asItShouldBe(world);

      for (const vdu of Object.keys(begins)) {
        const { id = '', resourceId } = vnfcs(world).find(({ vduId }) => vduId === vdu) ?? {};
        await completed(world, 'HEAL', { vnfcInstanceId: [id] });
        const healed = vnfcs(world).find((vnfc) => vnfc.id === id)?.resourceId;
        expect(healed, vdu).not.toBe(resourceId);
        expect(healed, vdu).toBeDefined();
      }
      await asItShouldBe(world);

      await completed(world, 'SCALE', { type: 'SCALE_IN', aspectId: aspect });
      expect(levelsIn(world)).toEqual({ [aspect]: 0 });
      expect(counts(world)).toEqual(begins);
      await completed(world, 'HEAL', {});
      expect(counts(world)).toEqual(begins);
      await completed(world, 'TERMINATE', { terminationType: 'FORCEFUL' });
      expect(JSON.stringify(world.emulator.inventory())).toBe(before);
    } finally {
      await world.close();
    }
  });
});
