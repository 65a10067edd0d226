import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts, kubesprayParts } from '@windlass/k8s-mgmt';
import { desiredCounts, flavourOf, mostInstances } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import { loadSample, sampleRequest } from '../crash-points/support/samples.js';

/** Sample, flavour, its request. */
const FLAVOURS: readonly [string, string, string][] = [
  ...['simple', 'complex', 'podaffinity'].map((id): [string, string, string] => [
    'kubernetes',
    id,
    `instantiate-kubernetes-${id}.json`,
  ]),
  ['kubernetes-storage', 'simple', 'instantiate-kubernetes-storage.json'],
  ['kubespray', 'simple', 'instantiate-kubespray.json'],
];

/** What the driver has against the sample's request at each level of the flavour. */
async function refusals(name: string, flavourId: string, file: string): Promise<Record<string, string[]>> {
  const { record } = await loadSample(name);
  const flavour = flavourOf(record.model, flavourId);
  const params = (await sampleRequest(file)).additionalParams as JsonObject;
  const { driver } = (name === 'kubespray' ? kubesprayParts : k8sParts)(defaultSettings);
  const of = (instantiationLevelId: string): string[] =>
    driver
      .validate({
        operation: 'INSTANTIATE',
        vnfInstanceId: 'an-instance',
        requestParams: params,
        instantiateParams: params,
        flavour: {
          id: flavour.id,
          vdus: flavour.vdus.map(({ id }) => id),
          cps: flavour.cps.map(({ id, vduId }) => ({ id, vdu: vduId ?? null })),
          aspects: flavour.scalingAspects.map(({ id }) => id),
          storages: flavour.vdus.flatMap(({ id: vdu, storageIds }) => storageIds.map((id) => ({ id, vdu }))),
          mostVnfcs: mostInstances(flavour),
        },
        files: record.files,
        countsAfter: desiredCounts(flavour, { instantiationLevelId }),
      })
      .invalidParams.map(({ path, reason }) => `${path}: ${reason}`)
      // Placeholders that its guide fills in.
      .filter((text) => !text.includes('${'));
  return Object.fromEntries(flavour.instantiationLevels.map(({ id }) => [id, of(id)]));
}

describe('a sample of a cluster', () => {
  it.each(FLAVOURS)('%s has no level of its flavour %s that the driver refuses', async (name, flavourId, file) => {
    expect(await refusals(name, flavourId, file)).toEqual({ instantiation_level_1: [], instantiation_level_2: [] });
  });
});
