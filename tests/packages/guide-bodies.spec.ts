import { text } from 'node:stream/consumers';
import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { guideParams } from '@windlass/k8s-mgmt/testing';
import { heatParameters } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { guideBody, type GuideFlavour } from './support/guide-bodies.js';
import { instantiationOf } from './support/instantiation-of.js';

let sample: Sample;
beforeAll(async () => {
  sample = await loadSample('kubernetes');
});

const FLAVOURS: readonly GuideFlavour[] = ['simple', 'complex', 'podaffinity'];
const ids = { vimId: '05ef7ca5-7e32-4a6b-a03d-52f811f04496', networkId: 'net0' };
const image = 'ubuntu-22.04-server-cloudimg-amd64';
const node = { flavor: 'm1.medium', image };
const NFV = {
  VDU: { masterNode: node, workerNode: node },
  CP: { masterNode_CP1: { network: 'net0' }, workerNode_CP2: { network: 'net0' } },
};

/** What the Kubernetes driver says to it. */
const asked = (body: JsonObject) => k8sParts(defaultSettings).driver.validate(instantiationOf(sample.record, body));

describe('a body of the cluster guide, its ids filled in', () => {
  it.each(FLAVOURS)('has all that the templates of our sample ask for: %s', (flavour) => {
    const parameters = heatParameters({
      flavour: flavourOf(sample.record.model, flavour),
      request: guideBody(flavour, ids) as never,
    });
    expect(parameters).toEqual({ nfv: NFV });
  });

  it.each(FLAVOURS)('is taken by the driver for flavour %s, with as many masters as that makes', (flavour) => {
    expect(asked(guideBody(flavour, ids)).invalidParams).toEqual([]);
  });

  it('names a user data script that our sample has, by its path and class', async () => {
    const { 'lcm-operation-user-data': path, 'lcm-operation-user-data-class': name } = guideParams();
    const script = sample.csar.openMember(String(path).replace('./', ''));
    expect(await text(script)).toContain(`class ${String(name)}:`);
  });
});
