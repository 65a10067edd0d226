import type { JsonObject } from '@windlass/foundation';

export type { ProblemDetails, InvalidParam } from '@windlass/foundation';

/** A set of key-value pairs: a JSON object of the caller's own making (SOL003 4.4.1.2). */
export type KeyValuePairs = JsonObject;

/** A link to a resource, absolute: it contains the API root (SOL003 4.4.1.3). */
export interface Link {
  href: string;
}

/** A link in a notification; absolute as well here, since a receiver can't know our root (SOL003 4.4.1.3a). */
export type NotificationLink = Link;

/** Says where a virtualised resource lives and what it is (SOL003 4.4.1.7). */
export interface ResourceHandle {
  /** The `id` of the VimConnectionInfo that reaches it. Absent in indirect mode. */
  vimConnectionId?: string;
  resourceProviderId?: string;
  /** The VIM's own id: a Nova server id, a Neutron port id. */
  resourceId: string;
  /** The VIM's own type: `OS::Nova::Server`. */
  vimLevelResourceType?: string;
}

/** How to reach a VIM; `/vnflcm/v1` carries an array of these (SOL003 4.4.1.6). `accessInfo` holds secrets. */
export interface VimConnectionInfo {
  /** Identifies the entry within its instance. */
  id: string;
  /** The VIM as its registry knows it. */
  vimId?: string;
  /** `openstack` or `kubernetes` in v1; see {@link vimKind} for all spellings. */
  vimType: string;
  interfaceInfo?: KeyValuePairs;
  accessInfo?: KeyValuePairs;
  extra?: KeyValuePairs;
}

/** The same in `/vnflcm/v2` (SOL003 3.3.1), where the `id` is the key of a map. */
export type VimConnectionInfoV2 = Omit<VimConnectionInfo, 'id'>;
/** Connections by their id. */
export type VimConnectionInfoMap = Record<string, VimConnectionInfoV2>;

/** The two kinds of VIM that Windlass works with. */
export type VimKind = 'openstack' | 'kubernetes';

const VIM_KINDS: Readonly<Record<string, VimKind>> = {
  openstack: 'openstack',
  'etsinfv.openstack_keystone.v_3': 'openstack',
  kubernetes: 'kubernetes',
  'etsinfv.kubernetes.v_1': 'kubernetes',
};

/** The kind that a `vimType` names in v1's or v2's spelling, or undefined for one that Windlass can't drive. */
export function vimKind(vimType: string): VimKind | undefined {
  const key = vimType.toLowerCase();
  return Object.hasOwn(VIM_KINDS, key) ? VIM_KINDS[key] : undefined;
}

/** What an API offers, as `api_versions` answers (SOL013 9.1.3). */
export interface ApiVersionInformation {
  uriPrefix: string;
  apiVersions: { version: string; isDeprecated?: boolean; retirementDate?: string }[];
}

/** Algorithm and hex digest of some content. */
export interface Checksum {
  algorithm: string;
  hash: string;
}
