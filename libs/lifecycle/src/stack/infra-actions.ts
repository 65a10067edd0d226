import type { Jsonable, JsonObject } from '@windlass/foundation';
import type { NodePortService, SharedCp, Vnfc } from '@windlass/mgmt-driver';
import { defineAction, type ActionContract } from '@windlass/saga';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import type { FlavorSize, Flavour } from '@windlass/vnf-package';
import type { ListedObject, ObjectRef } from '../records/cluster-objects.js';
import type { DesiredConnectivity } from '../records/desired-state.js';
import type { StackIdentity } from '../records/records.js';
import { INFRA_SERVICE } from '../records/services.js';
import type { PackagedImage } from '../records/shared-image.js';
import type { VimAccess } from '../records/vim-access.js';

/** Declares an action of the infra driver. All of them work on one VIM. */
export const defineInfraAction = <
  Input extends Jsonable<Input> & { vim: VimAccess },
  Output extends Jsonable<Output> = undefined,
>(
  name: string,
): ActionContract<Input, Output> =>
  defineAction<Input, Output>({ service: INFRA_SERVICE, name, version: 1, accepts: { type: 'object', required: ['vim'] } });

export interface CreateStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  request: StackRequest;
}

/** How long Heat may take is the infra driver's to say (STACK_WITHIN); `timeoutMinutes` of journals of older releases is not looked at. */
export interface StackRequest {
  stackName: string;
  /** HOT, YAML. */
  template: string;
  /** Nested templates by file name. */
  files: Record<string, string>;
  parameters: JsonObject;
  tags: string[];
}

export interface CreateStackOutput {
  stack: Required<StackIdentity>;
}

/** Makes the Heat stack, or finds the one this operation made, and waits until it is complete. Undo deletes it. */
export const createStackAction = defineInfraAction<CreateStackInput, CreateStackOutput>('create-stack');

export interface ReadStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  stack: StackIdentity;
  /** The flavour's model (libs/vnf-package). */
  flavour: Flavour;
  /**
   * What of the desired state a stack's contents are told apart by; it is called so since it was the request's. In journals of older releases
   * it is the instantiate request, without additionalParams.
   */
  request: DesiredConnectivity;
  /** Where the aspects are known to stand; where the stack has other VNFCs than these levels have, what it has is counted. */
  scaleLevels?: Record<string, number>;
}

export interface ReadStackOutput {
  stack: Required<StackIdentity>;
  info: InstantiatedVnfInfo;
  vnfcs: Vnfc[];
  sharedCps: SharedCp[];
}

/** Reads what the stack consists of. */
export const readStackAction = defineInfraAction<ReadStackInput, ReadStackOutput>('read-stack');

export interface DeleteStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  /** What the stack carries if it is this Windlass's; absent in journals of older releases. */
  deploymentTag?: string;
  stack: StackIdentity;
}

/** Deletes the stack and waits until it is gone. */
export const deleteStackAction = defineInfraAction<DeleteStackInput>('delete-stack');

export interface RemoveStackInput {
  vim: VimAccess;
  /** Without an id: the creation's outcome is unknown, so it must stay absent for as long as Heat may still make it. */
  stack: StackIdentity;
  /** The tags that the stack must carry. */
  tags: string[];
}

/**
 * Removes what an operation left, whether or not its creation ever happened. Another's stack of that name is let be, since ours is not there
 * then; another's of that id is refused.
 */
export const removeStackAction = defineInfraAction<RemoveStackInput>('remove-stack');

export interface InspectStackInput extends ReadStackInput {
  images: string[];
}

export interface InspectStackOutput {
  /** Null where there is no stack any more, or no object; of objects of a cluster no stack is told. */
  resources:
    | (Omit<ReadStackOutput, 'stack'> &
        Partial<Pick<ReadStackOutput, 'stack'>> & {
          objects?: ObjectRef[];
          nodePorts?: NodePortService[];
        })
    | null;
  /** Those of the images that are there. */
  images: string[];
}

/** As `read-stack`, but what is not there is no error. */
export const inspectStackAction = defineInfraAction<InspectStackInput, InspectStackOutput>('inspect-stack');

/** An image that the VIM must have, by the name or the id that Heat is told. */
export interface NamedImage {
  name: string;
  /** The VDUs and storages that are made from it. */
  neededBy: string[];
}

export interface FindImagesInput {
  vim: VimAccess;
  images: NamedImage[];
}

/** Looks whether the VIM has these images, as Heat will look for them. Changes nothing. */
export const findImagesAction = defineInfraAction<FindImagesInput>('find-images');

export interface SeeComputeHostsInput {
  vim: VimAccess;
}

/** Looks whether Nova shows us the names of servers' compute hosts, and fails where it does not. Changes nothing. */
export const seeComputeHostsAction = defineInfraAction<SeeComputeHostsInput>('see-compute-hosts');

/** How large a Nova flavor a VDU needs that names none. */
export interface WantedFlavor extends FlavorSize {
  vduId: string;
}

export interface FindFlavorsInput {
  vim: VimAccess;
  wanted: WantedFlavor[];
}

export interface FindFlavorsOutput {
  /** Names of flavors, by VDU. */
  flavors: Record<string, string>;
}

/** Finds the smallest flavor of the VIM that each VDU fits into. Changes nothing. */
export const findFlavorsAction = defineInfraAction<FindFlavorsInput, FindFlavorsOutput>('find-flavors');

export interface UploadImageInput {
  vim: VimAccess;
  vnfInstanceId: string;
  vnfPkgId: string;
  imageId: string;
  /** Further tags; absent in journals of older releases. */
  tags?: string[];
  image: PackagedImage;
}

export interface UploadImageOutput {
  imageId: string;
}

/** Makes the image of a VDU from the package's bytes, under an id that derives from the instance. Undo deletes it. */
export const uploadImageAction = defineInfraAction<UploadImageInput, UploadImageOutput>('upload-image');

export interface ShareImageInput extends Omit<UploadImageInput, 'vnfInstanceId' | 'tags'> {
  /** The deployment's: besides that of shared images, what of that id must carry to be ours. */
  tags: string[];
  /** Hex, of the bytes: beside what the VNFD declares, they are compared with it. */
  sha256: string;
}

/**
 * Looks whether the shared image is there, active and with a hash that does not contradict, and uploads it where it is not. It has the limit key of the image:
 * nobody else is in it for the same one. Its undo is nothing; instances refer to the image in the record.
 */
export const shareImageAction = defineInfraAction<ShareImageInput, UploadImageOutput>('share-image');

/** Looks whether the shared image is there as `share-image` would have it, and tells its id. It changes nothing: the look of that step. */
export const findSharedImageAction = defineInfraAction<ShareImageInput, UploadImageOutput>('find-shared-image');

export interface DeleteImageInput {
  vim: VimAccess;
  imageId: string;
  /** The tags that the image must carry; another's is refused. Absent in journals of older releases: any instance's tag. */
  tags?: string[];
}

/** Deletes an image, and what was made in its place. */
export const deleteImageAction = defineInfraAction<DeleteImageInput>('delete-image');

export interface AuditVimInput {
  vim: VimAccess;
  /** What this Windlass tags its things with. */
  deploymentTag: string;
  /** Instances that the database knows: their stacks are looked into, whatever else they are tagged with. */
  vnfInstanceIds: string[];
}

export interface AuditVimOutput {
  /** Why it could not be looked at. */
  failure?: { code: string; detail: string };
  stacks: ListedStack[];
  images: ListedImage[];
  /** Of a Kubernetes cluster, which has no stacks and no images. */
  objects?: ListedObject[];
}

/** Lists what carries our tags. A VIM that can't be looked at is an answer, no error. */
export const auditVimAction = defineInfraAction<AuditVimInput, AuditVimOutput>('audit-vim');

export interface ListedStack extends Required<StackIdentity> {
  status: string;
  tags: string[];
  /** Absent where it was not looked into: another's. */
  resources?: ListedResource[];
}

export interface ListedResource {
  type: 'server' | 'port' | 'volume';
  id: string;
  name: string;
  /** `gone`: the stack lists it, its service has it no more. `foreign`: plugged into a server of the stack, but not of the stack. */
  state: 'there' | 'gone' | 'foreign';
}

export interface ListedImage {
  id: string;
  name: string;
  tags: string[];
}
