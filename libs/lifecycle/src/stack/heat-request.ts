import { stackInput, type ComputedData } from '@windlass/user-data';
import { flavourOf, type Flavour } from '@windlass/vnf-package';
import { grantedInput, type DesiredState } from '../records/desired-state.js';
import type { StackRequest } from './infra-actions.js';
import { stackNameOf, vnfTag } from '../records/names.js';
import type { PackageRecord } from '../ports.js';

export interface HeatRequestContext {
  instance: { id: string };
  package: PackageRecord;
  /** The operation that asks, which the stack is marked with. */
  opOcc: { id: string };
  desired: DesiredState;
  /** What a script of the package computes now; absent: as the desired state has it. */
  computed?: ComputedData;
  /** It is only looked at, beside a script that makes servers for another size than the desired state has. */
  scripted?: boolean;
}

/**
 * What Heat is asked for to make a VNF as it should be: templates of the wanted size, and the parameters computed from the VNFD and the desired state.
 * @param imageRefs Glance ids of images that are uploaded for this instance, by VDU
 * @throws RequestError 400 with the pointer of each field that the desired state lacks for it
 */
export function heatRequest(
  { instance, package: { model }, opOcc, desired, computed = desired.computed, scripted = false }: HeatRequestContext,
  imageRefs: Readonly<Record<string, string>>,
): StackRequest {
  const { flavourId, scaleStatus } = desired;
  const size = {
    flavour: flavourOf(model, flavourId),
    request: desired,
    scaleStatus,
    computed,
    scripted,
    ...grantedInput(desired, imageRefs),
  };
  const { template, files, parameters } = stackInput(size);
  return {
    stackName: stackNameOf(instance.id),
    template,
    files,
    parameters,
    tags: ['windlass', vnfTag(instance.id), operationTag(opOcc.id)],
  };
}

/** Which operation made it: what an earlier one left is not taken for this one's. */
export const operationTag = (operationId: string): string => `windlass-op-${operationId}`;

/** The marks by which a stack shows whose update it got last. A way back is another update than the way there. */
export const tagsOf = (vnfInstanceId: string, deployment: string, last: string): string[] => [
  'windlass',
  vnfTag(vnfInstanceId),
  deployment,
  last,
];

/** The VDUs of a flavour that stand in groups. */
export const vdusInGroups = ({ vdus, baseHot }: Flavour): string[] =>
  vdus.map(({ id }) => id).filter((id) => baseHot?.groups.some(({ vduIds }) => vduIds.includes(id)) === true);
