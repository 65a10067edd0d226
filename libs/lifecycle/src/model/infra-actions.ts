import type { JsonObject } from '@windlass/foundation';
import type { SharedCp, Vnfc } from '@windlass/mgmt-driver';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import type { StackIdentity } from './records.js';

/** The service that does what the VIM is asked for. */
export const INFRA_SERVICE = 'infra-driver';

/** A VIM with all that is needed to use it; made from the registry or the request when a step is claimed. */
export interface VimAccess {
  connectionId: string;
  authUrl: string;
  region?: string;
  username: string;
  /** Secret: plain only in a claim's sealed input. */
  password: string;
  userDomainName: string;
  projectName: string;
  projectDomainName: string;
  /** False only where the VIM was registered with `cert_verify: False`. */
  verifyTls: boolean;
  /** PEM of the CA that signed the VIM's certificates. */
  ca?: string;
}

/** `create-stack@1`: makes the Heat stack, or finds the one this operation made, and waits until it is complete. Undo deletes it. */
export interface CreateStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  request: StackRequest;
}

export interface StackRequest {
  stackName: string;
  /** HOT, YAML. */
  template: string;
  /** Nested templates by file name. */
  files: Record<string, string>;
  parameters: JsonObject;
  tags: string[];
  /** Heat's own limit. */
  timeoutMinutes: number;
}

export interface CreateStackOutput {
  stack: Required<StackIdentity>;
}

/** `read-stack@1`: reads what the stack consists of. */
export interface ReadStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  stack: StackIdentity;
  /** The flavour's model (libs/vnf-package). */
  flavour: JsonObject;
  /** The instantiate request, without additionalParams. */
  request: JsonObject;
  /** Where the aspects stand, where that is known better than by counting VNFCs. */
  scaleLevels?: Record<string, number>;
}

export interface ReadStackOutput {
  stack: Required<StackIdentity>;
  info: InstantiatedVnfInfo;
  vnfcs: Vnfc[];
  sharedCps: SharedCp[];
}

/** `delete-stack@1`: deletes the stack and waits until it is gone. */
export interface DeleteStackInput {
  vim: VimAccess;
  vnfInstanceId: string;
  stack: StackIdentity;
}

/** `upload-image@1`: makes the image of a VDU from the package's bytes, under an id that derives from the instance. Undo deletes it. */
export interface UploadImageInput {
  vim: VimAccess;
  vnfInstanceId: string;
  vnfPkgId: string;
  imageId: string;
  image: {
    vduId: string;
    name: string;
    /** Path in the package. */
    path: string;
    checksum: { algorithm: string; hash: string };
    containerFormat: string;
    diskFormat: string;
    minDisk: number;
    minRam: number;
    size: number;
  };
}

export interface UploadImageOutput {
  imageId: string;
}

/** `delete-image@1`. */
export interface DeleteImageInput {
  vim: VimAccess;
  imageId: string;
}
