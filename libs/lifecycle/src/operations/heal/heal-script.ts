import type { ScriptUse } from '../../operation/script-use.js';
import { healRequestOptions } from './heal-request.js';

/** A script computes what its VNFCs are replaced by. A VNF that is made anew is made as it was at first. */
export const healScript: ScriptUse = {
  method: (request) => (healRequestOptions(request).recreates ? 'instantiate' : 'heal'),
  input: ({ opOcc }) => ({ vnfcIds: healRequestOptions(opOcc.request).vnfcIds }),
};
