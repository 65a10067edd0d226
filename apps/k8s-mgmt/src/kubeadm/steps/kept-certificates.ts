import { stepOf, type Step } from '@windlass/saga';
import { listCertificates, type KeptCertificates } from '../../certificates/list-certificates.action.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import type { ClusterSteps } from './node-steps.js';

/** Looks when the certificates end, to keep it with the instance: the last step that an operation does to its cluster. @param masters all there will be */
export const keptCertificates = (steps: ClusterSteps, masters: readonly ClusterNode[]): Step<KeptCertificates> =>
  stepOf(listCertificates, {
    target: steps.shape.endpoint.address,
    traits: { undoable: false, contributes: true },
    input: { instance: steps.instance, masters: steps.masters(masters) },
  });
