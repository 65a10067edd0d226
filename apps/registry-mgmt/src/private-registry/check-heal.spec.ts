import type { JsonObject } from '@windlass/foundation';
import { expect, it } from 'vitest';
import { registryParts } from '../service.js';
import { healOf, params, REGISTRY, requestOf, WITH_VOLUME } from './testing/bench.js';

const STORAGE = 'tacker_extension_heal_include_block_storage';
const WHOLE = healOf({ whole: true, recreates: true });
const IN_PLACE = healOf({ whole: true });

const asked = (vnfc = REGISTRY, requestParams: JsonObject = {}, heal = healOf()) =>
  registryParts.driver.validate(
    requestOf({
      operation: 'HEAL',
      requestParams,
      instantiateParams: params,
      instance: { vnfcs: [vnfc], sharedCps: [], affectedVnfcs: [], heal },
    }),
  );

it('images that lie on the VM are told to be lost, whatever is healed', () => {
  for (const heal of [healOf(), IN_PLACE, WHOLE])
    expect(asked(REGISTRY, {}, heal)).toEqual({
      invalidParams: [],
      normalised: {},
      warnings: ['the images in the registry vm-registry lie on its VM and are lost: push them again'],
    });
});

it('images on a volume stay where the request says nothing: the volume is not replaced', () => {
  const { warnings, normalised } = asked(WITH_VOLUME);
  expect(normalised).toEqual({ [STORAGE]: false });
  expect(warnings).toEqual([
    expect.stringMatching(/^the images in the registry vm-registry stay: the volume PrivateRegistryData is kept/),
  ]);
});

it.each([
  ['all is false', { all: false }, healOf()],
  ['all is false and no VNFC is named', { all: false }, IN_PLACE],
  ['storage is left out', { [STORAGE]: false }, healOf()],
  ['storage is left out, whatever all says', { all: true, [STORAGE]: false }, healOf()],
])('images on a volume stay where %s, and nothing of the request is changed', (_, given, heal) => {
  expect(asked(WITH_VOLUME, given, heal)).toMatchObject({ normalised: {}, warnings: [expect.stringContaining(' stay: ')] });
});

it.each([
  ['all is true', { all: true }],
  ['storage is asked for', { [STORAGE]: true }],
  ['storage is asked for, whatever all says', { all: false, [STORAGE]: true }],
])('images on a volume are told to be lost where %s', (_, given) => {
  const { warnings, normalised } = asked(WITH_VOLUME, given);
  expect(normalised).toEqual({});
  expect(warnings).toEqual([expect.stringMatching(/volume PrivateRegistryData, which the request replaces, and are lost/)]);
});

it.each<JsonObject>([{}, { all: true }, { [STORAGE]: false }])(
  'images on a volume are told to be lost with the whole, by %j',
  (given) => {
    const { warnings, normalised } = asked(WITH_VOLUME, given, WHOLE);
    expect(normalised).toEqual({});
    expect(warnings).toEqual([expect.stringMatching(/made anew with the whole VNF, and are lost.*To keep them name the VNFC/)]);
  },
);

it('who heals another VNFC is told nothing', () => {
  expect(asked(WITH_VOLUME, {}, healOf({ vnfcIds: ['another'] }))).toEqual({ invalidParams: [], warnings: [], normalised: {} });
});
