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
const request = (flavourId: string, { begins, additionalParams }: Templated): JsonObject => ({
  flavourId,
  extVirtualLinks: [
    {
      id: 'net',
      resourceId: 'net0',
      extCps: Object.keys(begins[flavourId] ?? {}).map((vdu) => ({
        cpdId: `${vdu}_CP`,
        cpConfig: [{ cpProtocolData: [{ layerProtocol: 'IP_OVER_ETHERNET' }] }],
      })),
    },
  ],
  ...(additionalParams === undefined ? {} : { additionalParams }),
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

/** One more by the aspect, or one less again. */
async function scales(
  world: World,
  { aspect, scales: vdu = '' }: Templated,
  begins: Record<string, number>,
  out: boolean,
): Promise<void> {
  if (aspect === undefined) return;
  const first = vnfcs(world).map(({ id }) => id);
  await completed(world, 'SCALE', { type: out ? 'SCALE_OUT' : 'SCALE_IN', aspectId: aspect });
  expect(levelsIn(world)).toEqual({ [aspect]: out ? 1 : 0 });
  expect(counts(world)).toEqual({ ...begins, [vdu]: (begins[vdu] ?? 0) + (out ? 1 : 0) });
  const now = vnfcs(world).map(({ id }) => id);
  expect(out ? now : first).toEqual(expect.arrayContaining(out ? first : now));
  await asItShouldBe(world);
}

/** One of each VDU: another server stands behind the same id. */
async function heals(world: World, vdus: readonly string[]): Promise<void> {
  for (const vdu of vdus) {
    const { id = '', resourceId } = vnfcs(world).find(({ vduId }) => vduId === vdu) ?? {};
    await completed(world, 'HEAL', { vnfcInstanceId: [id] });
    const healed = vnfcs(world).find((vnfc) => vnfc.id === id)?.resourceId;
    expect(healed, vdu).not.toBe(resourceId);
    expect(healed, vdu).toBeDefined();
  }
  await asItShouldBe(world);
}

describe('a package with templates is instantiated, scaled, healed and leaves nothing', () => {
  test.each(CASES)('$name: $flavourId', async ({ name, flavourId, begins, shape }) => {
    const world = await World.start(await readSample(name, zipOf(templated(name))));
    try {
      const before = JSON.stringify(world.emulator.inventory());
      await completed(world, 'INSTANTIATE', request(flavourId, shape));
      expect(counts(world)).toEqual(begins);
      expect(imagesIn(world)).toEqual(carriedImages(world));
      await asItShouldBe(world);
      await scales(world, shape, begins, true);
      await heals(world, Object.keys(begins));
      await scales(world, shape, begins, false);
      await completed(world, 'HEAL', {});
      expect(counts(world)).toEqual(begins);
      await completed(world, 'TERMINATE', { terminationType: 'FORCEFUL' });
      expect(JSON.stringify(world.emulator.inventory())).toBe(before);
    } finally {
      await world.close();
    }
  });
});
