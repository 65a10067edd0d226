import { readFileSync } from 'node:fs';
import { validateRequestOf, vnfc as vm } from '@windlass/driver-kit/testing';
import type { JsonObject } from '@windlass/foundation';
import { healedVnfcs, healRequestOptions } from '@windlass/lifecycle';
import { schemaFaults } from '@windlass/mgmt-driver';
import { registryParts } from '@windlass/registry-mgmt';
import { privateKeyFault } from '@windlass/remote-host';
import { flavourOf } from '@windlass/vnf-package';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, sampleRequest, type Sample } from '../crash-points/support/samples.js';

const ARCHIVE = 'Files/images/private_registry.tar';

let sample: Sample;
beforeAll(async () => {
  sample = await loadSample('private-registry');
});

/** The document's own body; its placeholders are the ids of network and VIM. */
const document = (): JsonObject =>
  JSON.parse(readFileSync(new URL('./support/private-registry-body.json', import.meta.url), 'utf8')) as JsonObject;

/** What is wrong with a body, as lcm-api finds it, in a package that has the image. */
function faults({ flavourId, additionalParams }: JsonObject): JsonObject[] {
  const params = additionalParams as JsonObject;
  const { driver } = registryParts;
  const { id, vdus, cps } = flavourOf(sample.record.model, String(flavourId));
  const reply = driver.validate({
    operation: 'INSTANTIATE',
    vnfInstanceId: 'an-instance',
    requestParams: params,
    instantiateParams: params,
    flavour: {
      id,
      vdus: vdus.map((vdu) => vdu.id),
      cps: cps.map((cp) => ({ id: cp.id, vdu: cp.vduId ?? null })),
      aspects: [],
      mostVnfcs: {},
    },
    files: [...sample.record.files, { path: ARCHIVE, size: 1, sha256: 'ab', firstLine: '' }],
  });
  expect(reply.warnings, 'an open registry is told, and nothing else').toEqual([
    expect.stringMatching(/^the registry speaks plain HTTP without a login: /),
  ]);
  return [...schemaFaults(driver.describe().parameters, params, privateKeyFault), ...reply.invalidParams].map((fault) => ({
    ...fault,
  }));
}

describe('the private registry', () => {
  it('takes the document’s body as it stands, of a package with that image', () => {
    const body = document();
    expect(faults(body)).toEqual([]);
    expect(body).toMatchObject({ additionalParams: { private_registry_installation_param: { image_path: ARCHIVE } } });
  });

  it('takes the sample’s request', async () => {
    expect(faults(await sampleRequest('instantiate-private-registry.json'))).toEqual([]);
  });

  it('keeps the volume with its images when its VM is healed without a word of it, as the heal reads the request', () => {
    const instantiateParams = document().additionalParams as JsonObject;
    const vnfc = { ...vm('registry', 'CP1', '10.0.0.5'), volumes: [{ name: 'data', resourceId: 'volume', device: '/dev/vdb' }] };
    const request = { vnfcInstanceId: [vnfc.id] };
    const heal = healedVnfcs({ vnfcs: [vnfc] }, healRequestOptions(request));
    const instance = { vnfcs: [vnfc], sharedCps: [], affectedVnfcs: [], heal };
    const reply = registryParts.driver.validate(
      validateRequestOf({ operation: 'HEAL', requestParams: {}, instantiateParams, instance }),
    );
    expect(healRequestOptions(request).includesStorage).toBe(true);
    expect(healRequestOptions({ ...request, additionalParams: reply.normalised }).includesStorage).toBe(false);
  });
});
