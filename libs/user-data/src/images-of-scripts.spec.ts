import { describe, expect, it } from 'vitest';
import { computedParameters } from './computed-parameters.js';
import type { UserDataInput } from './instantiate-data.js';

describe('the image of a VDU that a script has computed', () => {
  const computed = (image: string, given: Partial<UserDataInput>): unknown => {
    const flavour = {
      id: 'f',
      vdus: [{ id: 'VDU1', image: { name: 'packaged' } }],
      storages: [],
      scalingAspects: [],
      instantiationLevels: [],
    };
    const input = {
      flavour: { ...flavour, baseHot: { parameters: [], groups: [], servers: [], files: {} } },
      request: {},
      scripted: true,
      ...given,
    };
    const { nfv } = computedParameters(
      input as unknown as UserDataInput,
      {
        parameters: { nfv: { VDU: { VDU1: { vcImageId: image } } } },
      } as unknown as Parameters<typeof computedParameters>[1],
    );
    return nfv;
  };
  const of = (vcImageId: string) => ({ VDU: { VDU1: { vcImageId } } });

  it('is the uploaded one where it has the VNFD’s name, and stays what the script names where it names another', () => {
    const imageRefs = { VDU1: 'uploaded' };
    expect(computed('packaged', { imageRefs })).toEqual(of('uploaded'));
    expect(computed('another', { imageRefs })).toEqual(of('another'));
  });

  it('is an NFVO’s, whatever the script names', () => {
    const softwareImages = [{ vnfdSoftwareImageId: 'VDU1', vimSoftwareImageId: 'granted' }];
    expect(computed('another', { grant: { vimAssets: { softwareImages } } })).toEqual(of('granted'));
  });
});
