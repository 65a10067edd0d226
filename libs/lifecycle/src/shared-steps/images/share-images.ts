import { derivedUuid, InvariantError } from '@windlass/foundation';
import {
  outputOf,
  parallel,
  sequence,
  sourced,
  stepCalled,
  stepOf,
  type JournalTransaction,
  type OutputOf,
  type PathTo,
  type PlanNode,
} from '@windlass/saga';
import { findSharedImageAction, shareImageAction } from '../../stack/infra-actions.js';
import { limitOfImage } from '../../records/limit-keys.js';
import {
  defineInlineAction,
  inlineAction,
  type InlineActions,
  type InlineRun,
  type NoInput,
} from '../../operation/inline-run.js';
import { inlineStep, type SagaContext } from '../../operation/operation-saga.js';
import { DEPLOYMENT_TAG, VIM, vimLimit } from '../../stack/stack-step.js';
import { carriedImages } from '../../stack/carried-images.js';
import { projectReached, shareKey, type CarriedImage } from '../../records/shared-image.js';

/** Enters what the instance refers to from now on, so that nobody deletes it; the ids in Glance, in the order of the images. */
const referToImagesAction = defineInlineAction<NoInput, { ids: string[] }>('refer-to-images');

/** Keeps the ids as if they had been granted: the VNF has these images from now on. */
const keepImagesAction = defineInlineAction('keep-images');

const shareStep = ({ nodes: [node] }: CarriedImage): string => `share-image:${node}`;

/**
 * Where images are shared: the instance refers to each image that the package carries, and a step looks for the image in Glance and uploads it where
 * it is missing. A look needs no place. Of several steps that found nothing one works, while the others wait for its place and then look together. There is no undo:
 * a clean-up deletes images to which no instance refers. A script has said before which images it uses: it is told the VNFD's names, and these become the ids
 * when Heat is asked.
 * @returns undefined where the instance's images are its own
 */
export function shareImages(context: SagaContext): PlanNode | undefined {
  const {
    sharing,
    opOcc,
    package: { id: vnfPkgId },
  } = context;
  const images = carriedImages(context);
  if (sharing === undefined || images === undefined) return undefined;
  const { name: action, version } = findSharedImageAction;
  const steps = images.map((carried, at) => {
    const behind = limitOfImage(shareKey(opOcc.tenant, sharing.project, carried));
    return stepOf(shareImageAction, {
      id: shareStep(carried),
      target: carried.image.name,
      limits: [...vimLimit(context), behind],
      input: {
        vim: sourced(VIM),
        vnfPkgId,
        imageId: outputOf(stepCalled(referToImagesAction), ({ ids }) => placeIn(ids, at)),
        tags: [sourced(DEPLOYMENT_TAG)],
        image: carried.image,
        sha256: carried.sha256,
      },
      traits: { undoable: false, look: { action, version, behind } },
    });
  });
  return sequence(inlineStep(referToImagesAction, {}), parallel(steps, { limit: 2 }), inlineStep(keepImagesAction, {}));
}

/** The place of an id in the list. Where the list has none, the step that points there fails when it is claimed. */
function placeIn(ids: PathTo<string[]>, at: number): PathTo<string> {
  const place = ids[at];
  if (place === undefined) throw new InvariantError(`a list has no place ${at}`);
  return place;
}

/** Whether the operation has entered references. */
export const refersToImages = ({ steps }: JournalTransaction): boolean =>
  steps.some(({ action, state, phase }) => action === referToImagesAction.name && phase === 'do' && state === 'done');

/** Whether the plan of an operation shares images. */
export const sharesImages = ({ steps }: JournalTransaction): boolean =>
  steps.some(({ action }) => action === referToImagesAction.name);

export const sharingInline: InlineActions = {
  ...inlineAction(referToImagesAction, async (run) => {
    const {
      tx,
      store,
      context: { opOcc, instance },
    } = run;
    const { vim } = opOcc.draft;
    if (vim === undefined) throw new InvariantError(`operation ${opOcc.id} has no VIM`);
    const access = await store.vimAccess(tx.handle, opOcc.tenant, vim, instance, opOcc.request);
    const wanted = imagesIn(run).map((carried) => {
      const key = shareKey(opOcc.tenant, projectReached(access), carried);
      return { key, id: derivedUuid(opOcc.id, `shared image ${key}`), name: carried.image.name };
    });
    const referrer = { tenant: opOcc.tenant, vnfInstanceId: instance.id, vim };
    const ids = await store.referToImages(tx.handle, referrer, wanted);
    return { ids: wanted.map(({ key, id }) => ids[key] ?? id) };
  }),

  ...inlineAction(keepImagesAction, async (run) => {
    const {
      tx,
      store,
      context: { opOcc },
    } = run;
    const { granted } = opOcc.draft;
    const images = { ...granted?.images };
    const shared: string[] = [];
    for (const carried of imagesIn(run)) {
      const output = (await tx.readPayload(shareStep(carried), 'output')) as
        Partial<OutputOf<typeof shareImageAction>> | undefined;
      if (output?.imageId === undefined)
        throw new InvariantError(`${shareStep(carried)} of operation ${opOcc.id} has told no image`);
      for (const node of carried.nodes) {
        if (Object.hasOwn(images, node)) continue;
        images[node] = output.imageId;
        shared.push(node);
      }
    }
    opOcc.draft.granted = { ...granted, images, shared };
    await store.saveOpOcc(tx.handle, opOcc);
    return undefined;
  }),
};

function imagesIn({ context }: Pick<InlineRun, 'context'>): CarriedImage[] {
  const images = carriedImages(context);
  if (images === undefined) throw new InvariantError(`operation ${context.opOcc.id} has no images that could be shared`);
  return images;
}
