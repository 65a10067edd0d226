import { isJsonObject, masked, type JsonObject, type SecretPlaces } from '@windlass/foundation';
import type { Hook, HookContext, PackageFile } from '@windlass/mgmt-driver';
import { withGrantedZones } from '../records/granted-zones.js';
import { clusterUrlOf } from '../records/cluster-url.js';
import type { OpOccRecord, VnfInstanceRecord } from '../records/records.js';
import type { OperationTable } from './operation-table.js';
import type { PackageRecord } from '../ports.js';

/** What a hook's question is made from. */
export interface HookSources {
  hook: Hook;
  opOcc: OpOccRecord;
  instance: VnfInstanceRecord;
  package: Pick<PackageRecord, 'files'>;
  /** Where secrets lie in the parameters. */
  secrets: SecretPlaces;
  operations: OperationTable;
}

/** What a driver is told when it is asked for the plan of a hook: everything it needs to plan, and no secret. */
export function hookContextOf({ hook, opOcc, instance, package: { files }, secrets, operations }: HookSources): HookContext {
  const state = opOcc.draft.instantiated ?? instance.instantiated;
  const { additionalParams, vimConnectionInfo: _connections, ...request } = opOcc.request;
  const desired = operations.desiredFor(opOcc, instance);
  const instantiateParams = desired?.additionalParams ?? {};
  const affected = opOcc.draft.affectedVnfcs ?? [];
  return {
    hook,
    operationId: opOcc.id,
    tenant: opOcc.tenant,
    vnfInstanceId: instance.id,
    vnfInstanceName: instance.vnfInstanceName ?? `vnf-${instance.id}`,
    flavourId: operations.flavourIdOf(opOcc, instance),
    vnfPkgId: instance.vnfPkgId,
    instantiateParams: masked(instantiateParams, secrets),
    requestParams: masked(isJsonObject(additionalParams) ? additionalParams : {}, secrets),
    request: masked(request),
    vnfcs: withGrantedZones(state?.vnfcs ?? [], desired),
    affectedVnfcs: affected.flatMap(({ changeType, vnfc }) =>
      withGrantedZones([vnfc], desired).map((told) => ({ changeType, vnfc: told })),
    ),
    sharedCps: state?.sharedCps ?? [],
    volumes: (state?.vnfcs ?? []).flatMap(({ id: vnfcId, volumes = [] }) => volumes.map((volume) => ({ ...volume, vnfcId }))),
    ...clusterUrlOf(instance),
    ...(state?.nodePorts === undefined ? {} : { nodePorts: state.nodePorts }),
    ...(opOcc.draft.heal === undefined ? {} : { heal: opOcc.draft.heal }),
    ...(opOcc.draft.connectivity === undefined ? {} : { connectivity: opOcc.draft.connectivity }),
    files: namedFiles(instantiateParams, files),
  };
}

/** The package's files that the parameters name somewhere. */
function namedFiles(params: JsonObject, files: readonly PackageFile[]): PackageFile[] {
  const texts = new Set(textsIn(params).map((text) => text.replace(/^\.\//, '')));
  return files.filter(({ path }) => texts.has(path));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
