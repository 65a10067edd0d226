import type { JsonObject } from '@windlass/foundation';
import type { KeyValuePairs } from '../types/common.js';
import { PACKAGE_OPERATIONAL_STATES, type PackageOperationalStateType } from '../types/enumerations.js';
import { Check, MergePatch, Optional, Required, type Plain } from '../validation/attributes.js';
import { httpUrl, keyValuePairs, MAX_CALLED_URL, oneOf, text, type Finding } from '../validation/rules.js';

/** `POST /vnf_packages` (SOL005 9.5.2.2). */
export type CreateVnfPkgInfoRequest = Plain<CreateVnfPkgInfoRequestBody>;
/** The rules of {@link CreateVnfPkgInfoRequest}. */
export class CreateVnfPkgInfoRequestBody {
  @Optional(keyValuePairs) declare userDefinedData?: KeyValuePairs;
}

/** `POST .../package_content/upload_from_uri` (SOL005 9.5.2.4). The password is a secret, and so may be the query of the address; user and password have members of their own. */
export type UploadVnfPackageFromUriRequest = Plain<UploadVnfPackageFromUriRequestBody>;
/** The rules of {@link UploadVnfPackageFromUriRequest}. */
export class UploadVnfPackageFromUriRequestBody {
  @Required(httpUrl({ max: MAX_CALLED_URL, user: false })) declare addressInformation: string;
  @Optional(text()) declare userName?: string;
  @Optional(text()) declare password?: string;
}

function somethingToChange(value: JsonObject): Finding[] {
  if (value.operationalState === null) {
    return [{ at: '/operationalState', reason: `expected one of ${PACKAGE_OPERATIONAL_STATES.join(', ')}, got null` }];
  }
  return Object.hasOwn(value, 'operationalState') || Object.hasOwn(value, 'userDefinedData')
    ? []
    : [{ at: '', reason: 'expected at least one of operationalState, userDefinedData, got none' }];
}

/** `PATCH /vnf_packages/{id}` (SOL005 9.5.2.3): a merge patch with at least one of the two. */
export type VnfPkgInfoModification = Plain<VnfPkgInfoModificationBody>;
/** The rules of {@link VnfPkgInfoModification}. */
@MergePatch()
@Check(somethingToChange)
export class VnfPkgInfoModificationBody {
  @Optional(oneOf(PACKAGE_OPERATIONAL_STATES)) declare operationalState?: PackageOperationalStateType;
  @Optional(keyValuePairs) declare userDefinedData?: KeyValuePairs | null;
}
