import { InvariantError, type JsonObject } from '@windlass/foundation';
import {
  InstantiateVnfRequestBody,
  validated,
  type ExtManagedVirtualLinkData,
  type ExtVirtualLinkData,
  type InstantiatedVnfInfo,
  type KeyValuePairs,
  type OperationalState,
  type ScaleInfo,
  type VimConnectionInfo,
} from '@windlass/sol003';
import type { ComputedData, UserDataInput } from '@windlass/user-data';
import type { GrantedAssets } from './granted-assets.js';

/**
 * What a VNF instance should be. INSTANTIATE sets it, each operation that completes changes it where it changes what is wanted, and TERMINATE
 * ends it; an operation that fails leaves it alone. A stack made from it alone is the one that the instance should have (ADR 30).
 * Members are absent where the request had none. Sealed at rest: `additionalParams` and `vimConnectionInfo` hold secrets.
 */
export interface DesiredState {
  flavourId: string;
  /** The level of the instantiation, or of the last scaling to one. It sizes the VDUs that no aspect scales. */
  instantiationLevelId?: string;
  /** Where the aspects should stand. Absent while the instance is being instantiated: its level alone gives the size. */
  scaleStatus?: ScaleInfo[];
  /** Whether it should run; absent: it should. An OPERATE that leaves no VNFC running makes it STOPPED. */
  vnfState?: OperationalState;
  /** External networks, with the connection points on them. */
  extVirtualLinks?: ExtVirtualLinkData[];
  /** Networks in place of those that the VNF would make itself. */
  extManagedVirtualLinks?: ExtManagedVirtualLinkData[];
  /** The connection that the instantiation was asked for with, until a modification gives others: those are the instance's own. */
  vimConnectionInfo?: VimConnectionInfo[];
  localizationLanguage?: string;
  /** As the drivers normalised them. */
  additionalParams?: KeyValuePairs;
  /** Until a modification gives others: those are the instance's own. */
  extensions?: KeyValuePairs;
  /** As `extensions`. */
  vnfConfigurableProperties?: KeyValuePairs;
  /** What an NFVO granted for the VNFD's nodes; absent where the grant was local. */
  granted?: GrantedAssets;
  /** What a script of the package has computed for the stack last; absent where the data is the built-in one. */
  computed?: ComputedData;
}

/** By what of a desired state a stack is read as the VNF: no secret is in it. */
export type DesiredConnectivity = Pick<DesiredState, 'flavourId' | 'vnfState' | 'extVirtualLinks' | 'extManagedVirtualLinks'>;

/** What an instantiation asks for. @param request the body of an `InstantiateVnfRequest` (SOL003 5.5.2.4) that was checked */
export function desiredBy(request: JsonObject): DesiredState {
  return picked(validated(InstantiateVnfRequestBody, request), [
    'flavourId',
    'instantiationLevelId',
    'extVirtualLinks',
    'extManagedVirtualLinks',
    'vimConnectionInfo',
    'localizationLanguage',
    'additionalParams',
    'extensions',
    'vnfConfigurableProperties',
  ]);
}

/** What an instantiation works towards: what was asked for, as it was granted. */
export const desiredIn = ({ request, draft }: { request: JsonObject; draft: { granted?: GrantedAssets } }): DesiredState => ({
  ...desiredBy(request),
  ...(draft.granted === undefined ? {} : { granted: draft.granted }),
});

/**
 * What the Heat parameters take of a grant. Images that instances share stand in it, too, but for them no NFVO has decided: they are those of the package, and a
 * script may use others.
 * @param ofInstance Glance ids of images that were uploaded for the instance alone, by node
 */
export function grantedInput(
  { granted = {} }: Pick<DesiredState, 'granted'>,
  ofInstance: Readonly<Record<string, string>>,
): Pick<UserDataInput, 'grant' | 'zones' | 'imageRefs'> {
  const { flavours = {}, images = {}, zones = {}, shared = [] } = granted;
  const isShared = ([node]: [string, string]): boolean => shared.includes(node);
  return {
    zones,
    imageRefs: { ...ofInstance, ...Object.fromEntries(Object.entries(images).filter(isShared)) },
    grant: {
      vimAssets: {
        computeResourceFlavours: Object.entries(flavours).map(([vnfdVirtualComputeDescId, vimFlavourId]) => ({
          vnfdVirtualComputeDescId,
          vimFlavourId,
        })),
        softwareImages: Object.entries(images)
          .filter((image) => !isShared(image))
          .map(([vnfdSoftwareImageId, vimSoftwareImageId]) => ({ vnfdSoftwareImageId, vimSoftwareImageId })),
      },
    },
  };
}

/**
 * The desired state of an instance that was instantiated with that request and is what that info says. Also what the database of a release
 * before migration 11 says of an instance: it kept the request alone.
 */
export function desiredOnce(request: JsonObject, info: Pick<InstantiatedVnfInfo, 'scaleStatus'> | undefined): DesiredState {
  const scaleStatus = info?.scaleStatus?.map(({ aspectId, scaleLevel }) => ({ aspectId, scaleLevel }));
  return { ...desiredBy(request), ...(scaleStatus === undefined ? {} : { scaleStatus }) };
}

/** What an instance that is INSTANTIATED should be. @throws InvariantError for one that is not */
export function desiredOf({ id, desired }: { id: string; desired: DesiredState | null }): DesiredState {
  if (desired === null) throw new InvariantError(`VNF instance ${id} is not instantiated: it has no desired state`);
  return desired;
}

/** With these aspects at these levels. @param instantiationLevelId the level that it was scaled to, where one was named */
export function scaledTo(desired: DesiredState, levels: readonly ScaleInfo[], instantiationLevelId?: string): DesiredState {
  const status = new Map([...(desired.scaleStatus ?? []), ...levels].map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]));
  return {
    ...desired,
    scaleStatus: [...status].map(([aspectId, scaleLevel]) => ({ aspectId, scaleLevel })),
    ...(instantiationLevelId === undefined ? {} : { instantiationLevelId }),
  };
}

/** Of an instance that is not instantiated: nothing. */
export const connectivityOf = (desired: DesiredState | null): DesiredConnectivity | undefined =>
  desired === null ? undefined : picked(desired, ['flavourId', 'vnfState', 'extVirtualLinks', 'extManagedVirtualLinks']);

/** The members of these names, as far as they are there. */
const picked = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Pick<T, K>;
