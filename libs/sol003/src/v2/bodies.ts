import {
  ChangeExtVnfConnectivityRequestV2Body,
  HealVnfRequestV2Body,
  InstantiateVnfRequestV2Body,
  TerminateVnfRequestV2Body,
  VnfInfoModificationRequestV2Body,
} from '../requests/lifecycle.js';
import type { LcmOperationTypeV2 } from '../operations/operations.js';
import type { BodyClass } from '../validation/attributes.js';

/** What `/vnflcm/v2` (SOL003 3.3.1) holds the body of an operation against, where that is not what v1 does. */
export const V2_BODIES: Readonly<Partial<Record<LcmOperationTypeV2, BodyClass>>> = {
  INSTANTIATE: InstantiateVnfRequestV2Body,
  HEAL: HealVnfRequestV2Body,
  TERMINATE: TerminateVnfRequestV2Body,
  CHANGE_EXT_CONN: ChangeExtVnfConnectivityRequestV2Body,
  MODIFY_INFO: VnfInfoModificationRequestV2Body,
};
