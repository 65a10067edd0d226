import { parallel, sourced, stepOf, type JournalTransaction, type OutputOf, type PlanNode } from '@windlass/saga';
import type { SagaContext } from '../../operation/operation-saga.js';
import { firstImageId, imageRefsOf, imagesOf } from '../../stack/carried-images.js';
import { uploadImageAction } from '../../stack/infra-actions.js';
import { DEPLOYMENT_TAG, VIM, vimLimit } from '../../stack/stack-step.js';

/** An upload for each image whose bytes are in the package. */
export function uploadImages(context: SagaContext): PlanNode | undefined {
  const images = imagesOf(context);
  if (images.length === 0) return undefined;
  return parallel(
    images.map((image) =>
      stepOf(uploadImageAction, {
        id: uploadStep(image.vduId),
        target: image.name,
        limits: vimLimit(context),
        input: {
          vim: sourced(VIM),
          vnfInstanceId: context.instance.id,
          vnfPkgId: context.package.id,
          imageId: firstImageId(context.instance.id, image.vduId),
          tags: [sourced(DEPLOYMENT_TAG)],
          image,
        },
      }),
    ),
    { limit: 2 },
  );
}

/** Ids that this instance's images have, by VDU or storage: those this operation uploaded, as Glance gave them, which never gives one twice; else those that are there. */
export async function imageIdsOf(tx: JournalTransaction, context: SagaContext): Promise<Record<string, string>> {
  const ids = imageRefsOf(context);
  for (const { vduId } of imagesOf(context)) {
    const output = (await tx.readPayload(uploadStep(vduId), 'output')) as Partial<OutputOf<typeof uploadImageAction>> | undefined;
    if (output?.imageId !== undefined) ids[vduId] = output.imageId;
  }
  return ids;
}

const uploadStep = (vduId: string): string => `upload-image:${vduId}`;
