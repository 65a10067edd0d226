import type { KeyValuePairs } from '../types/common.js';
import { object, objects, Optional, Required, type Plain } from '../validation/attributes.js';
import { httpUrl, identifier, keyValuePairs, MAX_CALLED_URL, text } from '../validation/rules.js';
import {
  ExtManagedVirtualLinkDataBody,
  ExtVirtualLinkDataBody,
  VimConnectionInfoDataBody,
  type ExtManagedVirtualLinkData,
  type ExtVirtualLinkData,
  type VimConnectionInfoData,
} from './connectivity.js';

/** As many resources as one grant may speak of: a VNF of a thousand VMs with three ports and a volume each. */
const MAX_RESOURCES = 5_000;

class GrantLinkBody {
  @Required(httpUrl({ max: MAX_CALLED_URL, user: false })) declare href: string;
}

class GrantLinksBody {
  @Required(object(() => GrantLinkBody)) declare self: GrantLinkBody;
}

class GrantInfoBody {
  @Required(identifier) declare resourceDefinitionId: string;
  @Optional(identifier) declare vimConnectionId?: string;
  @Optional(identifier) declare zoneId?: string;
}

class ZoneInfoBody {
  @Required(identifier) declare id: string;
  @Required(identifier) declare zoneId: string;
}

class ComputeResourceFlavourBody {
  @Required(identifier) declare vnfdVirtualComputeDescId: string;
  @Required(identifier) declare vimFlavourId: string;
}

class SoftwareImageBody {
  @Required(identifier) declare vnfdSoftwareImageId: string;
  @Required(identifier) declare vimSoftwareImageId: string;
}

class VimAssetsBody {
  @Optional(objects(() => ComputeResourceFlavourBody, { max: MAX_RESOURCES }))
  declare computeResourceFlavours?: ComputeResourceFlavourBody[];
  @Optional(objects(() => SoftwareImageBody, { max: MAX_RESOURCES })) declare softwareImages?: SoftwareImageBody[];
}

/** What is read of an NFVO's Grant (SOL003 9.5.2.3), within the bounds that everything from outside has. */
export type GrantData = Plain<GrantBody>;
/** The rules of {@link GrantData}. */
export class GrantBody {
  @Required(text({ min: 1 })) declare id: string;
  @Required(identifier) declare vnfInstanceId: string;
  @Required(identifier) declare vnfLcmOpOccId: string;
  @Optional(objects(() => VimConnectionInfoDataBody, { max: 100 })) declare vimConnections?: VimConnectionInfoData[];
  @Optional(objects(() => ZoneInfoBody, { max: MAX_RESOURCES })) declare zones?: ZoneInfoBody[];
  @Optional(objects(() => GrantInfoBody, { max: MAX_RESOURCES })) declare addResources?: GrantInfoBody[];
  @Optional(objects(() => GrantInfoBody, { max: MAX_RESOURCES })) declare removeResources?: GrantInfoBody[];
  @Optional(objects(() => GrantInfoBody, { max: MAX_RESOURCES })) declare updateResources?: GrantInfoBody[];
  @Optional(object(() => VimAssetsBody)) declare vimAssets?: VimAssetsBody;
  @Optional(objects(() => ExtVirtualLinkDataBody, { max: 1_000 })) declare extVirtualLinks?: ExtVirtualLinkData[];
  @Optional(objects(() => ExtManagedVirtualLinkDataBody, { max: 1_000 }))
  declare extManagedVirtualLinks?: ExtManagedVirtualLinkData[];
  @Optional(keyValuePairs) declare additionalParams?: KeyValuePairs;
  @Required(object(() => GrantLinksBody)) declare _links: GrantLinksBody;
}
