import { RequestError } from '@windlass/foundation';
import type { OperationDefinition } from '../../operation/operation-definition.js';
import { CLUSTER_HOOK, clusterDriverOf } from './cluster-request.js';
import { modify } from './modify.operation.js';

/**
 * A modification that asks the driver of a cluster (ADR 85). It has no row in the table, because its route is not the standard's. Once accepted it is
 * a MODIFY_INFO like any other.
 * @param code of the refusal where the VNF is no cluster @param lacks what such a VNF does not have, for the message
 */
const modifyCluster = (code: string, lacks: string): OperationDefinition => ({
  ...modify,
  asks: (subject) => {
    const driver = clusterDriverOf(subject);
    return driver === undefined ? [] : [[driver, [CLUSTER_HOOK]]];
  },
  checkBeforeDrivers: (subject) => {
    const { id, instantiationState } = subject.instance;
    if (instantiationState !== 'INSTANTIATED')
      throw new RequestError(
        409,
        'vnf-instance.wrong-state',
        `VNF instance ${id} is ${instantiationState}, so it has no cluster: instantiate it first`,
      );
    if (clusterDriverOf(subject) === undefined)
      throw new RequestError(
        409,
        code,
        `VNF instance ${id} has no ${lacks} that Windlass knows of: no management driver has made it a cluster (its VNFD binds none to instantiate_end)`,
      );
    return subject.request;
  },
});

/** Looks at the certificates of a cluster, or renews them. */
export const modifyCertificates = modifyCluster('certificates.no-cluster', 'certificates');

/** Takes a snapshot of a cluster's control plane (ADR 84). */
export const modifySnapshots = modifyCluster('snapshots.no-cluster', 'control plane');
