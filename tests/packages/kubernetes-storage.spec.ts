import { readFileSync } from 'node:fs';
import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { schemaFaults, type ValidateReply } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { readManifest } from '@windlass/storage-mgmt';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, sampleRequest, type Sample } from '../crash-points/support/samples.js';
import { instantiationOf } from './support/instantiation-of.js';

let sample: Sample;
beforeAll(async () => {
  sample = await loadSample('kubernetes-storage');
});

/** The specification's own body; its placeholders are the ids of networks and VIM. */
const specification = (): JsonObject =>
  JSON.parse(readFileSync(new URL('./support/kubernetes-storage-body.json', import.meta.url), 'utf8')) as JsonObject;

/** What the driver says of a body of the sample's package. */
function checked(body: JsonObject): ValidateReply {
  const { driver } = k8sParts(defaultSettings);
  expect(schemaFaults(driver.describe().parameters, body.additionalParams as JsonObject, privateKeyFault)).toEqual([]);
  return driver.validate(instantiationOf(sample.record, body));
}

describe('the sample of a cluster with storage', () => {
  it('takes the specification’s body as it stands, with nothing to say of its storage', () => {
    const { invalidParams, warnings } = checked(specification());
    expect(invalidParams).toEqual([]);
    expect(warnings.filter((text) => /storage|volume|export|mount/.test(text))).toEqual([]);
  });

  it('takes its own request without a warning of its storage', async () => {
    const { invalidParams, warnings } = checked(await sampleRequest('instantiate-kubernetes-storage.json'));
    expect(invalidParams).toEqual([]);
    expect(warnings.filter((text) => /storage|volume|export|mount/.test(text))).toEqual([]);
  });

  it('has manifests of PersistentVolumes below what its request exports', async () => {
    const { additionalParams } = await sampleRequest('instantiate-kubernetes-storage.json');
    const text = JSON.stringify(additionalParams);
    for (const n of [1, 2, 3]) {
      const path = `Files/kubernetes/nfs-pv${n}.yaml`;
      const manifest = (await sample.csar.readMember(path, 10_000)).toString('utf8');
      const [volume] = readManifest(manifest, { path, server: '10.10.0.50', instance: 'an-instance' });
      expect(volume).toMatchObject({
        name: `nfs-pv${n}`,
        object: { spec: { nfs: { path: `/volume/nfs/pv${n}`, server: '10.10.0.50' } } },
      });
      expect(text).toContain(`"export_dir":"/volume/nfs/pv${n}"`);
    }
  });
});
