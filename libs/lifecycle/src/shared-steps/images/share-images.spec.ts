import { describe, expect, it } from 'vitest';
import type { SagaContext } from '../../operation/operation-saga.js';
import { instanceRecord, opOccRecord } from '../../testing/records.js';
import { shareImages } from './share-images.js';

const PATH = 'Files/images/one.img';
const SCRIPT = { 'lcm-operation-user-data': './UserData/a.py', 'lcm-operation-user-data-class': 'A' };

describe('an instance whose package carries an image', () => {
  const contextOf = (additionalParams: object): SagaContext => {
    const image = { name: 'one', checksum: { algorithm: 'sha-256', hash: 'ab' }, containerFormat: 'bare', diskFormat: 'raw' };
    const carried = { ...image, minDisk: 0, minRam: 0, size: 4, file: { kind: 'member', path: PATH, present: true } };
    const flavour = { id: 'default', vdus: [{ id: 'VDU1', image: carried }], storages: [] };
    return {
      sharing: { project: 'project' },
      instance: instanceRecord({ id: 'a', vnfPkgId: 'p' }),
      opOcc: opOccRecord({ id: 'op', vnfInstanceId: 'a', request: { flavourId: 'default', additionalParams } as never }),
      package: { id: 'p', model: { flavours: [flavour] }, files: [{ path: PATH, size: 4, sha256: 'cd' }] },
      flavourId: 'default',
    } as unknown as SagaContext;
  };

  it('shares it, with a script that computes parameters as without', () => {
    const plain = shareImages(contextOf({}));
    expect(JSON.stringify(plain)).toContain('share-image:VDU1');
    // Or else all instances of a package would come to the image's place one after the other.
    expect(JSON.stringify(plain)).toMatch(
      /"limits":\[[^\]]*"(image:[^"]+)"\].*"look":\{"action":"find-shared-image","version":1,"behind":"\1"\}/,
    );
    expect(shareImages(contextOf(SCRIPT))).toEqual(plain);
  });

  it('has it for itself where images are not shared', () => {
    const { sharing: _, ...unshared } = contextOf(SCRIPT);
    expect(shareImages(unshared)).toBeUndefined();
  });
});
