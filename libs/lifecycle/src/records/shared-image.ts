import { createHash } from 'node:crypto';
import { withoutEnd, type Bytes } from '@windlass/foundation';
import type { VimAccess } from './vim-access.js';
import type { VimChoice } from './records.js';

/** An image whose bytes a package carries. */
export interface PackagedImage {
  vduId: string;
  name: string;
  /** Path in the package. */
  path: string;
  checksum: { algorithm: string; hash: string };
  containerFormat: string;
  diskFormat: string;
  minDisk: Bytes;
  minRam: Bytes;
  /** Bytes of the file; in journals of older releases what the VNFD declares. Workers go by what the archive says. */
  size: number;
}

/** The image of one file of a package, as nodes of the VNFD want it. */
export interface CarriedImage {
  /** VDUs and storages that are made from it. The first names its step. */
  nodes: [string, ...string[]];
  image: PackagedImage;
  /** Hex. Of the file in the package's archive, computed when it was onboarded: no package can say another's. */
  sha256: string;
}

/** An image that an instance is to refer to. */
export interface WantedImage {
  key: string;
  /** Its id in Glance, if it is not there yet. */
  id: string;
  name: string;
}

/** A shared image as the record has it. */
export interface SharedImage {
  id: string;
  tenant: string;
  name: string;
  /** Of the instance that referred to it first. */
  vim: VimChoice;
  /** `DELETING`: nobody refers to it any more, nobody will, and a clean-up removes it. */
  state: 'SHARED' | 'DELETING';
  /** Instances that refer to it. */
  instances: string[];
}

/** Images that instances share. References are taken and dropped in the transactions of their operations. */
export interface SharedImageStore {
  /**
   * Adds the instance's references. Where no image of a key is there, or it is being deleted, a new one is entered. @returns ids in Glance, by key
   */
  referToImages(
    handle: unknown,
    referrer: { tenant: string; vnfInstanceId: string; vim: VimChoice },
    wanted: readonly WantedImage[],
  ): Promise<Record<string, string>>;
  /**
   * Drops all references of the instance.
   * @param untouched nothing of its images can have been made in the VIM by the instance. Where all who referred to an image said so, it is taken off the record
   * @returns ids of images to which no instance refers now: they are marked as being deleted, and the caller
   * begins the deletion
   */
  dropImageReferences(handle: unknown, vnfInstanceId: string, untouched?: boolean): Promise<string[]>;
  /** Takes images off the record that are deleted in their VIM. */
  forgetSharedImages(handle: unknown, ids: readonly string[]): Promise<void>;
}

/** Which project of which cloud an access reaches, whoever logs in. */
export const projectReached = ({ authUrl, region, ...project }: VimAccess): string =>
  JSON.stringify([
    withoutEnd(authUrl, '/'),
    region ?? null,
    project.projectId ?? [project.projectDomainId ?? project.projectDomainName, project.projectName],
  ]);

/** What tells images apart: the bytes as we know them, what the VNFD says of them, and what Glance keeps beside them. */
const contentOf = ({ sha256, image }: CarriedImage): unknown[] => {
  const { name, checksum, containerFormat, diskFormat, minDisk, minRam } = image;
  const declared = [checksum.algorithm.toLowerCase().replaceAll('-', ''), checksum.hash.toLowerCase()];
  return [sha256.toLowerCase(), ...declared, name, containerFormat, diskFormat, minDisk, minRam];
};

/** The key under which an image is shared, by the instances of one tenant in one project of a cloud. @param project {@link projectReached} */
export const shareKey = (tenant: string, project: string, carried: CarriedImage): string =>
  createHash('sha256')
    .update(JSON.stringify([tenant, project, contentOf(carried)]))
    .digest('hex');
