import type { MastersContext, MastersStepInput } from '@windlass/driver-kit';
import { InvariantError, minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { RENEW_CERTIFICATES } from './renewal-script.js';

/**
 * How long a part of the control plane is waited for, in seconds: the kubelet has twenty to see the manifest, thirty to end the pod before, a minute
 * until it tries again to tell the API of the new one; the rest is for a slow machine.
 */
const PART_WITHIN = 300;

/** Renews the control plane's certificates on one master, the only one of `masters`, and starts its control plane anew, a part at a time. */
export const renewCertificates = implementAction(declared<MastersStepInput>('renew-certificates'), {
  /** The same operation finds its own mark: what it has renewed it does not renew again, whoever has the step by then. */
  apply: async (context: MastersContext) => {
    const { run, input } = context;
    const [master] = input.masters;
    if (master === undefined) throw new InvariantError(`step ${run.stepId} has no master`);
    const { address, username } = master;
    await context.script('renew-certificates', {
      text: RENEW_CERTIFICATES,
      // Four parts, kubeadm, which asks the API for a minute, and what is asked last of each part.
      within: minutes(30),
      arguments: () => [`${run.operationId}.${address}`, address, username, String(PART_WITHIN)],
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});
