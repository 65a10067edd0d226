import type { JsonObject } from '@windlass/foundation';
import type { ValidateReply } from '@windlass/mgmt-driver';
import { expect, it } from 'vitest';
import { defaultSettings } from '../../settings/settings.js';
import { plainParams, validateRequest } from '../../testing/requests.js';
import { checkInstantiation } from './check-instantiation.js';

/** A request for a VNF whose VNFD makes its masters of an image of that name. */
function checked(name: string, more: JsonObject = {}, files = validateRequest(plainParams()).files): ValidateReply {
  const request = validateRequest({ ...plainParams(), ...more });
  const vdu = request.flavour.cps.find(({ id }) => id === 'masterNode_CP1')?.vdu ?? '';
  return checkInstantiation({ ...request, files, flavour: { ...request.flavour, images: [{ vdu, name }] } }, defaultSettings);
}

it('an Ubuntu that Kubernetes is not installed on is refused at the request, before any VM is made, with what to do', () => {
  expect(checked('ubuntu-20.04-server-cloudimg-amd64').refusal).toEqual({
    code: 'cluster.os-unsupported',
    detail: expect.stringMatching(
      /Ubuntu 20\.04.* image of Ubuntu 22\.04 or 24\.04, or give one as additionalParams\.nfv\.VDU\./,
    ) as string,
  });
});

it.each(['ubuntu-22.04-server-cloudimg-amd64', 'Ubuntu 24.04 LTS', 'our-golden-image', 'debian-12', 'ubuntu'])(
  'an image that is called %s is taken',
  (name) => {
    expect(checked(name)).not.toHaveProperty('refusal');
  },
);

it('an image that the request gives in place of the VNFD’s is looked at on its VM', () => {
  const { flavour } = validateRequest(plainParams());
  const vdu = flavour.cps.find(({ id }) => id === 'masterNode_CP1')?.vdu ?? '';
  expect(checked('ubuntu-20.04', { nfv: { VDU: { [vdu]: { image: 'another' } } } })).not.toHaveProperty('refusal');
});
