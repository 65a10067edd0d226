import type { VnfModel } from '../vnf-model.js';

/** A VNFD that fits the recorded stack. */
export const recordedModel: VnfModel = {
  vdus: [
    { id: 'VDU1', storageIds: [] },
    { id: 'VDU2', storageIds: ['bootvol', 'vol'] },
  ],
  cps: [
    { id: 'VDU1_CP1', vduId: 'VDU1' },
    { id: 'VDU1_CP2', vduId: 'VDU1', virtualLinkId: 'intnet' },
    { id: 'VDU2_CP1', vduId: 'VDU2' },
  ],
  virtualLinks: [{ id: 'intnet' }],
  aspects: [{ id: 'VDU1', vdus: [{ vduId: 'VDU1', initial: 1, delta: 1 }] }],
};
