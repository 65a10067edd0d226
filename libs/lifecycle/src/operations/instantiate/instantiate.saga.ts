import {
  outputOf,
  parallel,
  sourced,
  stepCalled,
  stepOf,
  type JournalTransaction,
  type OutputOf,
  type PlanNode,
} from '@windlass/saga';
import { removeLeftovers } from '../../parts/clean-up/removal-steps.js';
import { grantAndImages } from '../../parts/grant/images-in-vim.js';
import { createStackAction, readStackAction, uploadImageAction, type StackRequest } from '../../stack/infra-actions.js';
import { imagesOf } from '../../stack/carried-images.js';
import { shareImages } from '../../parts/images/share-images.js';
import { flavorsBySize } from '../../stack/flavors-by-size.js';
import { keepResourcesAction } from '../../operation/inline-contracts.js';
import { defineInlineAction, type NoInput } from '../../operation/inline-run.js';
import { derivedId, inlineStep, operationSaga, type SagaContext } from '../../operation/operation-saga.js';
import { DEPLOYMENT_TAG, notUndone, onStack, reading, VIM, vimLimit } from '../../stack/stack-step.js';

/** Computes what Heat is asked for. */
export const prepareStackAction = defineInlineAction<NoInput, StackRequest>('prepare-stack');
export const publishInstanceAction = defineInlineAction('publish-instance');

/** INSTANTIATE: ask for the grant, remove what a failed one left, create the resources, configure them, publish the instance. */
export const instantiate = operationSaga('INSTANTIATE', (saga) =>
  saga
    .step((context) => grantAndImages(context, flavorsBySize(context)))
    .becomes('PROCESSING')
    .step(removeLeftovers)
    .hook('instantiate', 'start')
    .step((context) => shareImages(context) ?? uploadImages(context))
    .step(() => inlineStep(prepareStackAction, {}))
    .step(createStack)
    .step(readStack)
    .step(() => inlineStep(keepResourcesAction, { resources: outputOf(stepCalled(readStackAction)) }))
    .hook('instantiate', 'end')
    .step(() => inlineStep(publishInstanceAction, {})),
);

/** One for each image whose bytes are in the package. */
function uploadImages(context: SagaContext): PlanNode | undefined {
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

/** The same of an instance that is there: its images stand in the order of the model. */
export function imageRefsOf(context: Pick<SagaContext, 'package' | 'flavourId' | 'instance'>): Record<string, string> {
  const { id, instantiated } = context.instance;
  const refs = imagesOf(context).map(({ vduId }, index) => [vduId, instantiated?.images[index] ?? firstImageId(id, vduId)]);
  return Object.fromEntries(refs) as Record<string, string>;
}

const uploadStep = (vduId: string): string => `upload-image:${vduId}`;

/** The id that an image has unless there was one before. */
const firstImageId = (vnfInstanceId: string, vduId: string): string => derivedId(vnfInstanceId, `image ${vduId}`);

const createStack = (context: SagaContext): PlanNode =>
  onStack(context, createStackAction, { request: outputOf(stepCalled(prepareStackAction)) });

const readStack = (context: SagaContext): PlanNode =>
  notUndone(
    onStack(context, readStackAction, { stack: outputOf(stepCalled(createStackAction), (made) => made.stack), ...reading }),
  );
