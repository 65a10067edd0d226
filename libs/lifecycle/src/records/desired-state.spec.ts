import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../operations/operations.js';
import { instanceRecord, opOccRecord } from '../testing/records.js';
import { connectivityOf, desiredBy, desiredOf, desiredOnce, grantedInput, scaledTo } from './desired-state.js';

const REQUEST = {
  flavourId: 'simple',
  instantiationLevelId: 'two',
  extVirtualLinks: [{ id: 'net', resourceId: 'net0', extCps: [] }],
  vimConnectionInfo: [{ id: 'vim', vimType: 'openstack', accessInfo: { password: 'secret' } }],
  localizationLanguage: 'en',
  additionalParams: { password: 'secret' },
  extensions: { a: 1 },
};

describe('the desired state of an instance', () => {
  it('holds what the instantiation asks for, and nothing that it does not', () => {
    expect(desiredBy(REQUEST)).toEqual(REQUEST);
    expect(desiredBy({ flavourId: 'simple', somethingElse: 1 })).toEqual({ flavourId: 'simple' });
  });

  it('of a record that an older release kept has the size that the instance has', () => {
    const info = { scaleStatus: [{ aspectId: 'worker', scaleLevel: 2, maxScaleLevel: 3 }] };
    expect(desiredOnce(REQUEST, info)).toEqual({ ...REQUEST, scaleStatus: [{ aspectId: 'worker', scaleLevel: 2 }] });
    expect(desiredOnce(REQUEST, undefined)).toEqual(REQUEST);
  });

  it('changes the levels of the aspects that are scaled, and keeps the others and their order', () => {
    const scaleStatus = ['a', 'b'].map((aspectId) => ({ aspectId, scaleLevel: 1 }));
    expect(scaledTo({ flavourId: 'f', scaleStatus }, [{ aspectId: 'a', scaleLevel: 2 }]).scaleStatus).toEqual([
      { aspectId: 'a', scaleLevel: 2 },
      { aspectId: 'b', scaleLevel: 1 },
    ]);
    expect(scaledTo({ flavourId: 'f' }, [{ aspectId: 'a', scaleLevel: 2 }], 'large')).toEqual({
      flavourId: 'f',
      instantiationLevelId: 'large',
      scaleStatus: [{ aspectId: 'a', scaleLevel: 2 }],
    });
  });

  it('has shared images as those of the package, which no NFVO has decided: a script may use others', () => {
    const granted = { images: { VDU1: 'shared-1', VDU2: 'granted-2' }, shared: ['VDU1'] };
    const { grant, imageRefs } = grantedInput({ granted }, { VDU1: 'own-1', VDU3: 'own-3' });
    expect(grant?.vimAssets?.softwareImages).toEqual([{ vnfdSoftwareImageId: 'VDU2', vimSoftwareImageId: 'granted-2' }]);
    expect(imageRefs).toEqual({ VDU1: 'shared-1', VDU3: 'own-3' });
    expect(grantedInput({}, { VDU1: 'own-1' }).imageRefs).toEqual({ VDU1: 'own-1' });
  });

  it('shows a VIM its connections, and no secret', () => {
    const shown = connectivityOf(desiredBy(REQUEST));
    expect(shown).toEqual({ flavourId: 'simple', extVirtualLinks: REQUEST.extVirtualLinks });
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(connectivityOf(null)).toBeUndefined();
  });

  it("is the request's while the instance is instantiated, and the record's afterwards", () => {
    const desired = desiredBy(REQUEST);
    const instance = instanceRecord({ id: 'one', vnfPkgId: 'pkg' });
    const opOcc = opOccRecord({ id: 'op', vnfInstanceId: 'one', request: REQUEST });
    expect(OPERATIONS.desiredFor(opOcc, instance)).toEqual(desired);
    expect(OPERATIONS.desiredFor({ ...opOcc, operation: 'TERMINATE' }, { ...instance, desired })).toBe(desired);
    expect(() => desiredOf(instance)).toThrow('VNF instance one is not instantiated');
  });
});
