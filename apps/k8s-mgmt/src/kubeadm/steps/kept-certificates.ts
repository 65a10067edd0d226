import { stepOf, type Step } from '@windlass/saga';
import { listCertificates, type KeptCertificates } from '../../certificates/list-certificates.action.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import type { ClusterSteps } from './node-steps.js';

/** Records in the instance when the certificates end: the last step of an operation on its cluster. @param masters all masters after the operation */
export const keptCertificates = (steps: ClusterSteps, masters: readonly ClusterNode[]): Step<KeptCertificates> =>
  stepOf(listCertificates, {
    target: steps.shape.endpoint.address,
    traits: { undoable: false, contributes: true },
    input: { instance: steps.instance, masters: steps.masters(masters) },
  });
