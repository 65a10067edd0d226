import { RequestError } from '@windlass/foundation';
import type { OperationDefinition } from '../operations/operation-definition.js';
import { CERTIFICATES_HOOK, clusterDriverOf } from './certificates-request.js';
import { modify } from './modify.operation.js';

/**
 * The modification that looks at the certificates of a cluster, or renews them (ADR 85). It is no row of the table, since its route is none of the
 * standard's; once it is accepted it is a MODIFY_INFO as any other.
 */
export const modifyCertificates: OperationDefinition = {
  ...modify,
  asks: (subject) => {
    const driver = clusterDriverOf(subject);
    return driver === undefined ? [] : [[driver, [CERTIFICATES_HOOK]]];
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
        'certificates.no-cluster',
        `VNF instance ${id} has no certificates that Windlass knows of: no management driver has made it a cluster (its VNFD binds none to instantiate_end)`,
      );
    return subject.request;
  },
};
