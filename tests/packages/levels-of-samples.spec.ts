import { defaultSettings, k8sParts, kubesprayParts } from '@windlass/k8s-mgmt';
import { flavourOf } from '@windlass/vnf-package';
import { describe, expect, it } from 'vitest';
import { loadSample, sampleRequest } from '../crash-points/support/samples.js';
import { instantiationOf } from './support/instantiation-of.js';

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
  const body = { ...(await sampleRequest(file)), flavourId };
  const { driver } = (name === 'kubespray' ? kubesprayParts : k8sParts)(defaultSettings);
  const of = (level: string): string[] =>
    driver
      .validate(instantiationOf(record, body, level))
      .invalidParams.map(({ path, reason }) => `${path}: ${reason}`)
      // Placeholders that its guide fills in.
      .filter((text) => !text.includes('${'));
  return Object.fromEntries(flavourOf(record.model, flavourId).instantiationLevels.map(({ id }) => [id, of(id)]));
}

describe('a sample of a cluster', () => {
  it.each(FLAVOURS)('%s has no level of its flavour %s that the driver refuses', async (name, flavourId, file) => {
    expect(await refusals(name, flavourId, file)).toEqual({ instantiation_level_1: [], instantiation_level_2: [] });
  });
});
