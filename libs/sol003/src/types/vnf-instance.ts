import type { TaskLink } from '../operations/operations.js';
import type { KeyValuePairs, Link, VimConnectionInfo, VimConnectionInfoMap } from './common.js';
import type { InstantiationState } from './enumerations.js';
import type { InstantiatedVnfInfo, ScaleInfo } from './instantiated-vnf-info.js';

/** A VNF instance as `/vnflcm/v1` answers it (SOL003 2.6.1, 5.5.2.2). */
export interface VnfInstance {
  id: string;
  /** `vnf-<id>` where the caller gave none. */
  vnfInstanceName?: string;
  vnfInstanceDescription?: string;
  vnfdId: string;
  vnfProvider: string;
  vnfProductName: string;
  vnfSoftwareVersion: string;
  vnfdVersion: string;
  /** In v1 only; the command line shows it. */
  vnfPkgId?: string;
  vnfConfigurableProperties?: KeyValuePairs;
  vimConnectionInfo?: VimConnectionInfo[];
  instantiationState: InstantiationState;
  /** Present exactly while INSTANTIATED. */
  instantiatedVnfInfo?: InstantiatedVnfInfo;
  metadata?: KeyValuePairs;
  extensions?: KeyValuePairs;
  _links?: VnfInstanceLinks;
}

/** What can be done with an instance now (SOL003 5.5.2.2, `_links`). A link that is absent is a task that would be refused. */
export interface VnfInstanceLinks extends Partial<Record<TaskLink, Link>> {
  self: Link;
  indicators?: Link;
}

/** The same in `/vnflcm/v2` (SOL003 3.3.1): connections are a map, and the package is not named. */
export interface VnfInstanceV2 extends Omit<VnfInstance, 'vnfPkgId' | 'vimConnectionInfo' | 'instantiatedVnfInfo' | '_links'> {
  vimConnectionInfo?: VimConnectionInfoMap;
  instantiatedVnfInfo?: InstantiatedVnfInfoV2;
  _links?: VnfInstanceLinks & { changeCurrentVnfPkg?: Link };
}

/** v2 adds the highest levels and has no room for what the reference system adds to v1. */
export interface InstantiatedVnfInfoV2 extends Omit<InstantiatedVnfInfo, 'instantiationLevelId' | 'additionalParams'> {
  maxScaleLevels?: ScaleInfo[];
  metadata?: KeyValuePairs;
}
