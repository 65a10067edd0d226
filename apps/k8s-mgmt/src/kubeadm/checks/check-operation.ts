import { paramsAs, schema } from '@windlass/driver-kit';
import type { JsonObject } from '@windlass/foundation';
import type { DriverDescription, RequestedInstance, ValidateReply, ValidateRequest, Vnfc } from '@windlass/mgmt-driver';
import { quorumOf } from '../../etcd/quorum.js';
import { chooseScript } from '../../packaged-script/script-choice.js';
import { leaving, verificationImage } from '../../parameters/of-clusters.js';
import type { SnapshotParams } from '../parameters/named-snapshot.js';
import { clusterParams, PARAM, registries } from '../parameters/parameters.js';
import { warningOfEven, wrongNumberOfMasters } from '../steps/leaving-masters.js';
import { checkHealOfOnlyMaster } from './check-only-master.js';
import { checkHealOfStorage, whyStorageCantScale } from './check-storage.js';

const ofNodes = (title: string, logins: Readonly<Record<string, string>> = {}, more: JsonObject = {}): JsonObject =>
  schema.overridingLogins(
    title,
    {
      master_node: 'Login of the masters, for this operation',
      worker_node: 'Login of the workers, for this operation',
      ...logins,
    },
    {
      ...leaving,
      verification_image: verificationImage,
      [PARAM]: schema.objectOf('What counts for this operation, of the parameters of the cluster', {
        private_registry_connection_info: registries,
      }),
      ...more,
    },
  );

/** `additionalParams` of operations on a cluster that is there. */
export const operationParameters: NonNullable<DriverDescription['operationParameters']> = {
  SCALE: ofNodes('Scaling a cluster'),
  SCALE_TO_LEVEL: ofNodes('Scaling a cluster to a level'),
  CHANGE_EXT_CONN: schema.overridingLogins(
    'Connecting a cluster otherwise',
    {
      master_node: 'Login of the masters, for this operation',
      worker_node: 'Login of the workers, for this operation',
    },
    { verification_image: verificationImage },
  ),
  HEAL: ofNodes(
    'Healing a cluster',
    { storage_server: 'Login of the storage server, for this operation' },
    {
      snapshot: schema.text(
        'Snapshot that the only master is made again of, by its id or SHA-256; the newest unless given',
        '^[0-9a-f-]{1,64}$',
      ),
    },
  ),
};

const reply = (more: Partial<ValidateReply> = {}): ValidateReply => ({
  invalidParams: [],
  warnings: [],
  normalised: {},
  ...more,
});

/** Workers may scale, and masters where at least three remain. The storage server may not. */
export function checkScale(request: ValidateRequest): ValidateReply {
  const storage = whyStorageCantScale(request);
  if (storage !== undefined) return reply({ invalidParams: [{ path: '/aspectId', reason: storage }] });
  const { aspect_id: aspect } = clusterParams(request.instantiateParams).master_node;
  // Without an aspect of the masters' own, the numbers after the scaling tell whether masters come or go.
  if (request.request === undefined || (aspect !== undefined && request.request.aspectId !== aspect)) return reply();
  return mastersAfter(request, request.request.numberOfSteps === undefined ? '/aspectId' : '/numberOfSteps');
}

/** As {@link checkScale}, for the numbers that result from a level. */
export function checkScaleToLevel(request: ValidateRequest): ValidateReply {
  const path = request.request?.instantiationLevelId === undefined ? '/scaleInfo' : '/instantiationLevelId';
  const storage = whyStorageCantScale(request);
  return storage === undefined ? mastersAfter(request, path) : reply({ invalidParams: [{ path, reason: storage }] });
}

/** @param path the member of the request that decides how many masters there will be */
function mastersAfter({ instance, countsAfter = {}, instantiateParams, files }: ValidateRequest, path: string): ValidateReply {
  const masters = mastersAmong(instance?.vnfcs ?? [], instantiateParams);
  const [master] = masters;
  const wanted = master === undefined ? undefined : countsAfter[master.vduId];
  if (wanted === undefined || wanted === masters.length) return reply();
  const reason = wrongNumberOfMasters(masters.length, wanted);
  if (reason !== undefined) return reply({ invalidParams: [{ path, reason }] });
  const even = warningOfEven(wanted);
  if (chooseScript(clusterParams(instantiateParams).script_path, files)?.kind !== 'packaged')
    return reply(even === undefined ? {} : { warnings: [even] });
  const why = `would make ${wanted} masters of ${masters.length}, which a script of the package made: its contract knows no masters that come or go. Scale the workers, or have Windlass install the nodes (a script whose first line says "windlass: builtin")`;
  return reply({ invalidParams: [{ path, reason: why }] });
}

export const checkHeal = (request: ValidateRequest): ValidateReply => ({
  ...checkHealOfNodes(request),
  ...checkHealOfStorage(request),
});

/**
 * Masters are healed through the masters that stay, which have to be a quorum of all masters. No more masters may be dead than may be healed at once.
 * The first step that asks etcd (`check-quorum`) looks whether the masters that stay are alive.
 */
function checkHealOfNodes(request: ValidateRequest): ValidateReply {
  const { instance, instantiateParams, requestParams } = request;
  if (instance?.heal === undefined) return reply();
  const onlyMaster = healsOnlyMaster(instance, instantiateParams);
  if (!onlyMaster && paramsAs<SnapshotParams>(requestParams).snapshot !== undefined)
    return reply({ invalidParams: [SNAPSHOT_FOR_NOBODY] });
  if (instance.heal.whole) return reply();
  const { vnfcIds } = instance.heal;
  const masters = mastersAmong(instance.vnfcs, instantiateParams);
  const healed = masters.filter(({ id }) => vnfcIds.includes(id));
  const [only] = healed;
  if (only === undefined) return reply();
  if (onlyMaster) return checkHealOfOnlyMaster(request, only, vnfcIds);
  const names = healed.map(({ name }) => name).join(', ');
  const staying = masters.length - healed.length;
  const needed = quorumOf(masters.length);
  if (staying < needed)
    return refused(
      'cluster.quorum',
      `${names} are ${healed.length} of ${masters.length} masters, and etcd decides nothing without ${needed} of them: heal ${masters.length - needed} at most at once, the dead ones first`,
    );
  return reply();
}

const SNAPSHOT_FOR_NOBODY = {
  path: '/additionalParams/snapshot',
  reason:
    'is of which the only master of a cluster is made again, and this request heals none: name that VNFC in vnfcInstanceId, or leave the snapshot out',
};

function healsOnlyMaster({ vnfcs, heal }: RequestedInstance, instantiateParams: JsonObject): boolean {
  const [master, ...others] = mastersAmong(vnfcs, instantiateParams);
  return heal?.whole === false && master !== undefined && others.length === 0 && heal.vnfcIds.includes(master.id);
}

const refused = (code: string, detail: string): ValidateReply => reply({ refusal: { code, detail } });

/** The VNFCs that are masters by the instance's parameters. */
export function mastersAmong(vnfcs: readonly Vnfc[], instantiateParams: JsonObject): Vnfc[] {
  const { ssh_cp_name: cp, aspect_id: aspect } = clusterParams(instantiateParams).master_node;
  return vnfcs.filter(
    ({ cps, aspectId }) =>
      cps.some(({ cpdId }) => cpdId === cp) && (aspect === undefined || aspectId === null || aspectId === aspect),
  );
}
