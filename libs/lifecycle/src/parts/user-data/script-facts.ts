import { toJson, type JsonObject } from '@windlass/foundation';
import type { JournalTransaction } from '@windlass/saga';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import type { ComputedData, ScriptFacts } from '@windlass/user-data';
import { desiredCounts, flavourOf, groupSize, type Flavour } from '@windlass/vnf-package';
import { type AskedResources, definitions } from '../../operation/asked-resources.js';
import { healRequestOptions } from '../../operations/heal/heal-request.js';
import { heatRequest } from '../../stack/heat-request.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { desiredIn, desiredOf, type DesiredState } from '../../records/desired-state.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { scalingBySteps } from '../../operations/scale/scale-request.js';
import { computedIn, scriptOf } from './script-step.js';

/**
 * What a script is told, from the record alone. The parameters of the request are among it, secrets included, for templates take them; credentials of
 * the VIM are not.
 * @param resources what the operation adds and takes away
 */
export async function scriptFacts(tx: JournalTransaction, context: SagaContext, resources: AskedResources): Promise<ScriptFacts> {
  const {
    opOcc,
    instance,
    package: { model },
    flavourId,
  } = context;
  const flavour = flavourOf(model, flavourId);
  const desired = opOcc.operation === 'INSTANTIATE' ? desiredIn(opOcc) : desiredOf(instance);
  const again = opOcc.operation !== 'INSTANTIATE' && scriptOf(context)?.method === 'instantiate';
  const info = instance.instantiated?.info;
  const healed = opOcc.operation === 'HEAL' ? healRequestOptions(opOcc.request).vnfcIds : [];
  return {
    request: withoutOurs(again ? (toJson(desired) as JsonObject) : opOcc.request),
    instance: toJson({
      id: instance.id,
      vnfdId: instance.vnfdId,
      vnfProvider: instance.vnfProvider,
      vnfProductName: instance.vnfProductName,
      vnfSoftwareVersion: instance.vnfSoftwareVersion,
      vnfdVersion: instance.vnfdVersion,
      instantiationState: instance.instantiationState,
      ...(instance.vnfInstanceName === null ? {} : { vnfInstanceName: instance.vnfInstanceName }),
      ...(instance.metadata === null ? {} : { metadata: instance.metadata }),
      ...(info === undefined
        ? {}
        : { instantiatedVnfInfo: { ...connected(info, desired), additionalParams: desired.additionalParams ?? {} } }),
    }) as JsonObject,
    grantRequest: toJson({
      vnfInstanceId: instance.id,
      vnfLcmOpOccId: opOcc.id,
      vnfdId: instance.vnfdId,
      flavourId,
      operation: opOcc.operation,
      addResources: definitions(opOcc.id, 'add', resources.add),
      removeResources: definitions(opOcc.id, 'remove', resources.remove),
      updateResources: definitions(opOcc.id, 'update', resources.update),
    }) as JsonObject,
    grant: grantFor(opOcc.id, flavour, desired, resources),
    current: opOcc.operation === 'INSTANTIATE' ? null : currentOf(context, desired, await computedIn(tx, context)),
    desiredCapacity: opOcc.operation === 'SCALE' ? capacityAfter(context, flavour) : null,
    counts: countsAfter(context, flavour, desired),
    vnfcs: (toJson(info?.vnfcResourceInfo ?? []) as JsonObject[]).filter(
      ({ id }) => healed === null || (typeof id === 'string' && healed.includes(id)),
    ),
  };
}

/** With what each external link was asked for: which connection points are on it, with which addresses. */
function connected(info: InstantiatedVnfInfo, { extVirtualLinks = [] }: DesiredState): InstantiatedVnfInfo {
  if (info.extVirtualLinkInfo === undefined) return info;
  return {
    ...info,
    extVirtualLinkInfo: info.extVirtualLinkInfo.map((link) => {
      const asked = extVirtualLinks.find(({ id }) => id === link.id);
      return asked === undefined ? link : { ...link, currentVnfExtCpData: asked.extCps };
    }),
  };
}

/** A request as the API takes it, without credentials; of a desired state, without what is ours. */
const withoutOurs = ({ vimConnectionInfo: _v, granted: _g, computed: _c, vnfState: _s, ...request }: JsonObject): JsonObject =>
  request;

/** The parameters as Heat has them, whoever computed them. */
function currentOf(context: SagaContext, desired: DesiredState, computed: ComputedData | undefined): ComputedData {
  const given = computed === undefined ? {} : { computed };
  const { parameters } = heatRequest({ ...context, desired, ...given, scripted: true }, imageRefsOf(context));
  return { ...computed, parameters };
}

/** Assets and zones, as a grant has them. An image that nobody granted is the one that the VNFD names. */
function grantFor(
  operationId: string,
  { vdus, storages }: Flavour,
  { granted = {} }: DesiredState,
  resources: AskedResources,
): JsonObject {
  const { flavours = {}, images = {}, zones = {} } = granted;
  const named = [...vdus, ...storages].flatMap(({ id, image }) => {
    const found = images[id] ?? image?.name;
    return found === undefined ? [] : [{ vnfdSoftwareImageId: id, vimSoftwareImageId: found }];
  });
  const placed = definitions(operationId, 'add', resources.add).map(({ id, type, vduId = '' }) => ({
    resourceDefinitionId: id,
    ...(type === 'COMPUTE' && Object.hasOwn(zones, vduId) ? { zoneId: zones[vduId] ?? '' } : {}),
  }));
  return {
    addResources: placed,
    zones: [...new Set(Object.values(zones))].map((zone) => ({ id: zone, zoneId: zone })),
    vimAssets: {
      computeResourceFlavours: Object.entries(flavours).map(([vdu, flavor]) => ({
        vnfdVirtualComputeDescId: vdu,
        vimFlavourId: flavor,
      })),
      softwareImages: named,
    },
  };
}

/** Instances of each VDU that there shall be once the operation is done. */
function countsAfter(context: SagaContext, flavour: Flavour, desired: DesiredState): Record<string, number> {
  const { instantiationLevelId } = desired;
  const scaleStatus = context.opOcc.operation === 'SCALE' ? scalingBySteps(context).scaleStatus : desired.scaleStatus;
  return desiredCounts(flavour, { instantiationLevelId, scaleStatus });
}

/** Members that the group of the scaled aspect will have. */
function capacityAfter(context: SagaContext, flavour: Flavour): number | null {
  const { moves, scaleStatus } = scalingBySteps(context);
  const vduIds = moves.flatMap(({ aspect }) => aspect.deltas.map(({ vduId }) => vduId));
  const group = flavour.baseHot?.groups.find((each) => each.vduIds.some((id) => vduIds.includes(id)));
  if (group === undefined) return null;
  return groupSize(group, desiredCounts(flavour, { scaleStatus })) ?? null;
}
