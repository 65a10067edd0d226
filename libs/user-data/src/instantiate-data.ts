import type { JsonObject } from '@windlass/foundation';
import type { ComputedData } from './computed-data.js';
import type { Flavour, ScaleLevel } from '@windlass/vnf-package';

/** What is read of an address entry (SOL003 4.4.1.10c). */
export interface IpAddresses {
  readonly fixedAddresses?: readonly string[] | undefined;
  readonly numDynamicAddresses?: number | undefined;
  readonly addressRange?: object | undefined;
  readonly subnetId?: string | undefined;
}

/** What is read of one configuration of a connection point (SOL003 4.4.1.10a). */
export interface CpConfig {
  readonly linkPortId?: string | undefined;
  readonly cpProtocolData?:
    | readonly {
        readonly ipOverEthernet?:
          { readonly macAddress?: string | undefined; readonly ipAddresses?: readonly IpAddresses[] | undefined } | undefined;
      }[]
    | undefined;
}

/** What is read of an external virtual link (SOL003 4.4.1.11); v1 gives configurations as a list, v2 as a map. */
export interface ExtVirtualLink {
  readonly resourceId: string;
  /** Ports that the caller has prepared. */
  readonly extLinkPorts?:
    readonly { readonly id: string; readonly resourceHandle: { readonly resourceId: string } }[] | undefined;
  readonly extCps: readonly {
    readonly cpdId: string;
    readonly cpConfig?: readonly CpConfig[] | Readonly<Record<string, CpConfig>> | undefined;
  }[];
}

/** What is read of an `InstantiateVnfRequest` of either API version. */
export interface InstantiateData {
  readonly instantiationLevelId?: string | undefined;
  readonly extVirtualLinks?: readonly ExtVirtualLink[] | undefined;
  readonly extManagedVirtualLinks?: readonly { readonly vnfVirtualLinkDescId: string; readonly resourceId: string }[] | undefined;
  readonly additionalParams?: JsonObject | undefined;
}

/** What is read of a `Grant`: it goes before the request. */
export interface GrantData {
  readonly vimAssets?:
    | {
        readonly computeResourceFlavours?:
          readonly { readonly vnfdVirtualComputeDescId: string; readonly vimFlavourId: string }[] | undefined;
        readonly softwareImages?:
          readonly { readonly vnfdSoftwareImageId: string; readonly vimSoftwareImageId: string }[] | undefined;
      }
    | undefined;
  readonly extVirtualLinks?: InstantiateData['extVirtualLinks'];
  readonly extManagedVirtualLinks?: InstantiateData['extManagedVirtualLinks'];
  readonly additionalParams?: JsonObject | undefined;
}

/** All that the Heat parameters and templates of a VNF are made from. */
export interface UserDataInput {
  readonly flavour: Flavour;
  readonly request: InstantiateData;
  readonly grant?: GrantData | undefined;
  /** Where the aspects stand; absent at an instantiation, whose size the request's level gives. */
  readonly scaleStatus?: readonly ScaleLevel[] | undefined;
  /** Instances by VDU, where they are wanted otherwise than the levels say: a scaling leaves the groups of other aspects as they are. */
  readonly vduCounts?: Readonly<Record<string, number>> | undefined;
  /**
   * The stack is there, and gets this size by an update. Heat takes a `desired_capacity` of 0 for "unchanged" then
   * (`heat/engine/resources/aws/autoscaling/autoscaling_group.py`: desired or current): a group that shall have no member gets a `max_size` of 0.
   */
  readonly resizes?: true | undefined;
  /** The field of the request that says the size, for what is wrong with it; where absent the level of an instantiation. */
  readonly sizeField?: string | undefined;
  /** Glance images by node of the VNFD, for those that were uploaded; others are named as in `sw_image_data`. */
  readonly imageRefs?: Readonly<Record<string, string>> | undefined;
  /** Nova flavors by VDU, for those that were made; others are named as in the VNFD. */
  readonly flavorRefs?: Readonly<Record<string, string>> | undefined;
  /** What a script of the package has computed, in place of what would be computed here. */
  readonly computed?: ComputedData | undefined;
  /** A script is still to say what servers there are that stand in no group: they are counted in what it gives. */
  readonly scripted?: boolean | undefined;
  /** Availability zones by VDU. */
  readonly zones?: Readonly<Record<string, string>> | undefined;
}
