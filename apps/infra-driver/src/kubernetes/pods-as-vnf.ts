import type { ObjectRef, ReadObjectsInput } from '@windlass/lifecycle';
import type { Vnfc } from '@windlass/mgmt-driver';
import { compareText } from '@windlass/openstack';
import type { InstantiatedVnfInfo } from '@windlass/sol003';
import { scaleStatusOfCounts } from '../vnf/scale-status.js';
import { uuidIn } from '../vnf/stable-id.js';
import { vnfModelOf } from '../vnf/vnf-model-of.js';
import { isReadyPod, textAt, type KubeObject } from './objects.js';

/** A pod that is a VNFC. */
export interface OwnPod {
  pod: KubeObject;
  /** The object of a manifest that it was made for. */
  maker: ObjectRef;
  vduId: string;
}

/** The VNF as its pods have it, in the terms of SOL003 and in those of management drivers. Pure. */
export function vnfOfPods(input: ReadObjectsInput, pods: readonly OwnPod[]): { info: InstantiatedVnfInfo; vnfcs: Vnfc[] } {
  const { flavour, request, scaleLevels, vnfInstanceId, vim } = input;
  const order = new Map(flavour.vdus.map(({ id }, index) => [id, index]));
  const placeOf = ({ vduId }: OwnPod): number => order.get(vduId) ?? order.size;
  const sorted = pods.toSorted(
    (one, other) =>
      placeOf(one) - placeOf(other) || compareText(madeAt(one), madeAt(other)) || compareText(nameOf(one), nameOf(other)),
  );
  const has = (vduId: string): number => sorted.filter((each) => each.vduId === vduId).length;
  const info: InstantiatedVnfInfo = {
    flavourId: request.flavourId,
    vnfState: request.vnfState ?? 'STARTED',
    scaleStatus: scaleStatusOfCounts(vnfModelOf(flavour), has, scaleLevels),
    vnfcResourceInfo: sorted.map((each) => ({
      id: vnfcId(vnfInstanceId, each),
      vduId: each.vduId,
      // In the form of the reference system: the pod's name, and the kind of the object that made it.
      computeResource: { vimConnectionId: vim.connectionId, resourceId: nameOf(each), vimLevelResourceType: each.maker.kind },
      metadata: metadataOf(each),
    })),
    vnfcInfo: sorted.map((each) => ({
      id: `${each.vduId}-${vnfcId(vnfInstanceId, each)}`,
      vduId: each.vduId,
      vnfcResourceInfoId: vnfcId(vnfInstanceId, each),
      vnfcState: isReadyPod(each.pod) ? 'STARTED' : 'STOPPED',
    })),
  };
  return { info, vnfcs: sorted.map((each) => vnfcOf(input, each)) };
}

const nameOf = ({ pod }: OwnPod): string => pod.metadata.name;
const madeAt = ({ pod }: OwnPod): string => textAt(pod, 'metadata', 'creationTimestamp') ?? '';
const namespaceOf = ({ pod }: OwnPod): string => textAt(pod, 'metadata', 'namespace') ?? '';

/** The VNFC's id, derived from the pod's name: a replaced pod with the same name, as a StatefulSet's, is the same VNFC. */
export const vnfcId = (vnfInstanceId: string, each: OwnPod): string =>
  uuidIn(vnfInstanceId, ['pod', namespaceOf(each), nameOf(each)].join('/'));

function metadataOf(each: OwnPod): Record<string, string> {
  const node = textAt(each.pod, 'spec', 'nodeName');
  const address = textAt(each.pod, 'status', 'podIP');
  return {
    creation_time: madeAt(each),
    namespace: namespaceOf(each),
    workload: each.maker.name,
    pod_uid: each.pod.metadata.uid,
    ...(address === undefined ? {} : { pod_ip: address }),
    ...(node === undefined ? {} : { hostname: node }),
  };
}

function vnfcOf({ vnfInstanceId, flavour }: ReadObjectsInput, each: OwnPod): Vnfc {
  const aspect = flavour.scalingAspects.find(({ deltas }) => deltas.some(({ vduId }) => vduId === each.vduId));
  const address = textAt(each.pod, 'status', 'podIP');
  return {
    id: vnfcId(vnfInstanceId, each),
    vduId: each.vduId,
    aspectId: aspect?.id ?? null,
    memberName: nameOf(each),
    resourceId: nameOf(each),
    name: nameOf(each),
    createdAt: madeAt(each),
    host: textAt(each.pod, 'spec', 'nodeName') ?? null,
    zone: null,
    cps:
      address === undefined
        ? []
        : [{ cpdId: 'pod', resourceId: each.pod.metadata.uid, mac: null, addresses: [address], floatingIp: null }],
    volumes: [],
  };
}
