import { minutes, seconds, TerminalError } from '@windlass/foundation';
import { vnfTag, type DeleteImageInput, type UploadImageInput, type UploadImageOutput } from '@windlass/lifecycle';
import { defineAction, present } from '@windlass/saga';
import type { InfraContext } from './infra-context.js';

/** Brings an image of the package into Glance under an id of our own, and compares its hash with the VNFD's. */
export const uploadImage = defineAction<InfraContext<UploadImageInput>>({
  name: 'upload-image',
  version: 1,
  check: async ({ openStack, input }) => {
    const image = await openStack.glance.getImage(input.imageId);
    return image?.status === 'active' ? present({ imageId: input.imageId } satisfies UploadImageOutput) : false;
  },
  apply: async ({ openStack, input, run, packages }) => {
    const { image, imageId, vnfPkgId } = input;
    const there = await openStack.glance.getImage(imageId);
    // Bytes can be sent once: an image that got some of them in an attempt that died is made anew.
    if (there !== undefined && there.status !== 'queued') await openStack.glance.deleteImage(imageId);
    if (there?.status !== 'queued') {
      await openStack.glance.createImage({
        id: imageId,
        name: image.name,
        diskFormat: image.diskFormat,
        containerFormat: image.containerFormat,
        minDiskGiB: image.minDisk,
        minRamMiB: image.minRam,
        tags: ['windlass', vnfTag(input.vnfInstanceId)],
      });
    }
    run.progress(`uploading ${image.size} bytes`);
    await openStack.glance.upload(imageId, {
      bytes: () => packages.open(vnfPkgId, image.path, run.signal),
      length: image.size,
      checksum: image.checksum,
    });
    const active = await openStack.glance.waitActive(imageId, minutes(10));
    if (active.sizeBytes !== undefined && active.sizeBytes !== image.size) {
      throw new TerminalError(
        'image.wrong-size',
        `Glance has ${active.sizeBytes} bytes of image ${image.name}, the package ${image.size}`,
      );
    }
    return { imageId } satisfies UploadImageOutput;
  },
  undo: async ({ openStack, input }) => {
    await openStack.glance.deleteImage(input.imageId);
  },
  retry: { attempts: 3, backoff: seconds(5), growth: 2 },
});

/** Deletes an image that an instance uploaded. One that is not there is deleted. */
export const deleteImage = defineAction<InfraContext<DeleteImageInput>>({
  name: 'delete-image',
  version: 1,
  apply: async ({ openStack, input }) => {
    await openStack.glance.deleteImage(input.imageId);
    return undefined;
  },
  retry: { attempts: 4, backoff: seconds(2), growth: 2 },
});
