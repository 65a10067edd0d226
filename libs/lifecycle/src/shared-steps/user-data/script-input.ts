import { InvariantError, toJson, type JsonObject } from '@windlass/foundation';
import type { JournalTransaction } from '@windlass/saga';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import type { ComputedData, ScriptFacts } from '@windlass/user-data';
import { desiredCounts, flavourOf, type Flavour } from '@windlass/vnf-package';
import { definitions, type AskedResources } from '../../operation/asked-resources.js';
import type { OperationDefinition } from '../../operation/operation-definition.js';
import { stepSource, type StepSources } from '../../operation/step-sources.js';
import { heatRequest } from '../../stack/heat-request.js';
import { imageRefsOf } from '../../stack/carried-images.js';
import { desiredIn, desiredOf, type DesiredState } from '../../records/desired-state.js';
import type { SagaContext } from '../../operation/operation-saga.js';
import { computedIn, SCRIPT_INPUT } from './script-step.js';

/**
 * What a script is told, from the record alone. The parameters of the request are among it, secrets included, for templates take them; credentials of
 * the VIM are not.
 * @param definition the operation's, whose script is run
 */
export async function scriptInput(
  tx: JournalTransaction,
  context: SagaContext,
  { operation, script: use, grant }: Pick<OperationDefinition, 'operation' | 'script' | 'grant'>,
): Promise<ScriptFacts> {
  if (use === undefined) throw new InvariantError(`${operation} runs no script, and a step asks what one is told`);
  const {
    opOcc,
    instance,
    package: { model },
    flavourId,
  } = context;
  const flavour = flavourOf(model, flavourId);
  const resources = grant?.(context) ?? {};
  const makesVnf = use.makesVnf === true;
  const desired = makesVnf ? desiredIn(opOcc) : desiredOf(instance);
  const again = !makesVnf && use.method(opOcc.request) === 'instantiate';
  const info = instance.instantiated?.info;
  const { vnfcIds = [], scaleStatus = desired.scaleStatus, desiredCapacity = null } = use.input?.(context) ?? {};
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
    current: makesVnf ? null : currentOf(context, desired, await computedIn(tx, context)),
    desiredCapacity,
    counts: desiredCounts(flavour, { instantiationLevelId: desired.instantiationLevelId, scaleStatus }),
    vnfcs: (toJson(info?.vnfcResourceInfo ?? []) as JsonObject[]).filter(
      ({ id }) => vnfcIds === null || (typeof id === 'string' && vnfcIds.includes(id)),
    ),
  };
}

/** What a script is told. */
export const scriptSources: StepSources = [
  stepSource(SCRIPT_INPUT, async ({ tx, operations, opOcc, context }) =>
    scriptInput(tx, await context(), operations.of(opOcc.operation)),
  ),
];

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

/** A request as the API takes it, without credentials, and of a desired state without Windlass's own members. */
const withoutOurs = ({ vimConnectionInfo: _v, granted: _g, computed: _c, vnfState: _s, ...request }: JsonObject): JsonObject =>
  request;

/** The parameters as Heat has them, whoever computed them. */
function currentOf(context: SagaContext, desired: DesiredState, computed: ComputedData | undefined): ComputedData {
  const given = computed === undefined ? {} : { computed };
  const { parameters } = heatRequest({ ...context, desired, ...given, scripted: true }, imageRefsOf(context));
  return { ...computed, parameters };
}

/** Assets and zones in the form of a grant. Where no NFVO has granted an image, the image that the VNFD names, whoever else uses it. */
function grantFor(
  operationId: string,
  { vdus, storages }: Flavour,
  { granted = {} }: DesiredState,
  resources: AskedResources,
): JsonObject {
  const { flavours = {}, images = {}, zones = {}, shared = [] } = granted;
  const named = [...vdus, ...storages].flatMap(({ id, image }) => {
    const found = (shared.includes(id) ? undefined : images[id]) ?? image?.name;
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
