import type { MastersContext } from '@windlass/driver-kit';
import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { listCertificates, type KeptCertificate } from './contracts.js';
import type { Lifetimes } from './lifetimes.js';
import { lookAtCertificates } from './look-at-certificates.js';

/** Of one master: kubeadm makes eleven, and a folder of other people's is told no further. */
const MOST_OF_A_MASTER = 20;

/** As many as the coordinator takes: those that end first. */
const MOST = 300;

/**
 * What was done to the cluster is done: where no master tells, that is a note, and what was seen of it before stays. Of a master that does not answer
 * nothing is kept.
 */
export const listCertificatesWork = implementAction(listCertificates, {
  apply: async (context: MastersContext) => {
    const { seen, failures } = await lookAtCertificates(context);
    const [unreached] = failures;
    if (seen.length === 0 && unreached !== undefined)
      return {
        notes: [`when the certificates of the control plane end could not be looked at: ${unreached.message}`.slice(0, 1_000)],
      };
    return { instance: { certificates: keptOf(seen) } };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 1.5 },
});

const keptOf = (seen: readonly Lifetimes[]): KeptCertificate[] =>
  seen
    .flatMap(({ address: master, certificates }) =>
      certificates.slice(0, MOST_OF_A_MASTER).map(({ name, endsAt }) => ({ master, name, endsAt })),
    )
    .sort((one, other) => one.endsAt - other.endsAt)
    .slice(0, MOST);
