import type { MastersContext, MastersStepInput } from '@windlass/driver-kit';
import { InvariantError, minutes, seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { RENEW_CERTIFICATES } from './renewal-script.js';

/**
 * How long the renewal waits for a part of the control plane, in seconds. The kubelet has 20 to see the manifest, 30 to end the previous pod, and 60
 * until it tells the API again of the new pod; the rest is for a slow machine.
 */
const PART_WITHIN = 300;

/** Renews the control plane's certificates on one master, the only one of `masters`, and restarts its control plane part by part. */
export const renewCertificates = implementAction(declared<MastersStepInput>('renew-certificates'), {
  /** A second attempt of the same operation finds the operation's mark, and does not renew again what bears it. */
  apply: async (context: MastersContext) => {
    const { run, input } = context;
    const [master] = input.masters;
    if (master === undefined) throw new InvariantError(`step ${run.stepId} has no master`);
    const { address, username } = master;
    await context.script('renew-certificates', {
      text: RENEW_CERTIFICATES,
      // Enough for four parts, for kubeadm, which asks the API for a minute, and for the last question to each part.
      within: minutes(30),
      arguments: () => [`${run.operationId}.${address}`, address, username, String(PART_WITHIN)],
    });
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});
