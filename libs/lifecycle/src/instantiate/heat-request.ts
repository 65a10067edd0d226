import type { JsonObject } from '@windlass/foundation';
import { refuseUserDataScript, stackInput, type InstantiateData } from '@windlass/user-data';
import { flavourOf, type ScaleLevel } from '@windlass/vnf-package';
import type { StackRequest } from '../model/infra-actions.js';
import { stackNameOf, vnfTag } from '../model/names.js';
import type { PackageRecord } from '../ports.js';

/** Heat's own limit on making or changing a stack, in minutes; the reference system's v2 has the same. */
export const STACK_TIMEOUT_MINUTES = 20;

export interface HeatRequestContext {
  instance: { id: string };
  package: PackageRecord;
  flavourId: string;
  opOcc: { id: string; request: JsonObject };
  /** Levels of the aspects, where they are others than the request's. */
  scaleStatus?: readonly ScaleLevel[] | undefined;
}

/**
 * What Heat is asked for to instantiate a VNF: templates of the wanted size, and the parameters computed from VNFD and request.
 * @param imageRefs Glance ids of images that are uploaded for this instance, by VDU
 * @throws RequestError 400 with the pointer of each field that the request lacks for it, or that names a user data script
 */
export function heatRequest(
  { instance, package: { model }, flavourId, opOcc, scaleStatus }: HeatRequestContext,
  imageRefs: Readonly<Record<string, string>>,
): StackRequest {
  const request = opOcc.request as unknown as InstantiateData;
  refuseUserDataScript(request.additionalParams);
  const { template, files, parameters } = stackInput({ flavour: flavourOf(model, flavourId), request, imageRefs, scaleStatus });
  return {
    stackName: stackNameOf(instance.id),
    template,
    files,
    parameters,
    tags: ['windlass', vnfTag(instance.id), operationTag(opOcc.id)],
    timeoutMinutes: STACK_TIMEOUT_MINUTES,
  };
}

/** Which operation made it: what an earlier one left is not taken for this one's. */
export const operationTag = (operationId: string): string => `windlass-op-${operationId}`;
