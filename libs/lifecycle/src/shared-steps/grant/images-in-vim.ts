import { InvariantError, isJsonObject, type JsonObject } from '@windlass/foundation';
import { sequence, sourced, stepOf, type PlanNode } from '@windlass/saga';
import type { SoftwareImage } from '@windlass/vnf-package';
import { heatRequest, type HeatRequestContext } from '../../stack/heat-request.js';
import { findImagesAction, type NamedImage } from '../../stack/infra-actions.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { IMAGES_IN_VIM, notUndone, VIM, vimLimit } from '../../stack/stack-step.js';
import type { ScriptUse } from '../../operation/script-use.js';
import { stepSource, type StepSources } from '../../operation/step-sources.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { withNeeds } from './needs-of-drivers.js';
import { computedIn, keptAs, scriptOf, withScript } from '../user-data/script-step.js';
import { grant } from './grant-actions.js';

/**
 * The grant, then the package's script where there is one, then a check that the VIM has the images that no package brings, and what drivers need.
 * Nothing is made before the check, so a missing image rolls the operation back.
 * @param script how the operation uses a script of the package
 * @param between steps that decide which images are looked for
 */
export function grantAndImages(context: SagaContext, script: ScriptUse | undefined, between: readonly PlanNode[] = []): PlanNode {
  const asked = grant(context);
  // A script names flavors itself.
  const steps = [
    ...(asked.kind === 'sequence' ? asked.of : [asked]),
    ...(scriptOf(context, script) === undefined ? between : []),
  ];
  const granted = withScript(steps.length === 1 ? asked : sequence(...steps), context, script);
  if (!mayNameImages(context)) return withNeeds(granted, context);
  const look = stepOf(findImagesAction, {
    limits: vimLimit(context),
    input: { vim: sourced(VIM), images: sourced(IMAGES_IN_VIM) },
  });
  return withNeeds(sequence(...(granted.kind === 'sequence' ? granted.of : [granted]), notUndone(look)), context);
}

/** Whether some node of the flavour has its image from the VIM. A VDU without one may be given one by the request. */
function mayNameImages({ package: { model }, flavourId }: SagaContext): boolean {
  const flavour = model.flavours.find(({ id }) => id === flavourId);
  const [vdus, storages] = [flavour?.vdus ?? [], flavour?.storages ?? []];
  return vdus.some(({ image }) => !isCarried(image)) || storages.some(({ image }) => image !== undefined && !isCarried(image));
}

const isCarried = (image: SoftwareImage | undefined): boolean => image?.file?.kind === 'member' && image.file.present;

/**
 * The images that Heat will be asked to use, by the names or ids that it is told, and who needs each: of the VNFD, the request or the grant.
 * @param carried Glance ids of the images that the package brings, by node
 */
export function imagesInVim(context: HeatRequestContext, carried: Readonly<Record<string, string>>): NamedImage[] {
  const { nfv } = heatRequest({ ...context, scripted: context.computed !== undefined }, carried).parameters;
  const nodes = isJsonObject(nfv) && isJsonObject(nfv.VDU) ? Object.entries(nfv.VDU) : [];
  const brought = new Set(Object.values(carried));
  const needed = new Map<string, string[]>();
  for (const [node, parameters] of nodes) {
    const image = imageIn(parameters);
    if (image !== undefined && !brought.has(image)) needed.set(image, [...(needed.get(image) ?? []), node]);
  }
  return [...needed].map(([name, neededBy]) => ({ name, neededBy }));
}

/** The images that the VIM must have already. */
export const imageSources: StepSources = [
  stepSource(IMAGES_IN_VIM, async ({ tx, operations, opOcc, instance, context }) => {
    const desired = operations.desiredFor(opOcc, instance);
    if (desired === null) throw new InvariantError(`operation ${opOcc.id} makes servers of no desired state`);
    const subject = await context();
    return imagesInVim({ ...subject, ...keptAs(await computedIn(tx, subject)), desired }, imageRefsOf(subject));
  }),
];

function imageIn(parameters: unknown): string | undefined {
  const { image, vcImageId } = isJsonObject(parameters) ? parameters : ({} as JsonObject);
  const named = image ?? vcImageId;
  return typeof named === 'string' && named !== '' ? named : undefined;
}
