import type { MastersContext, MastersStepInput } from '@windlass/driver-kit';
import { seconds } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import type { Lifetimes } from './lifetimes.js';
import { lookAtCertificates } from './look-at-certificates.js';

/** A certificate of the control plane, as it is kept with the instance. */
export type KeptCertificate = {
  /** Address of the master that has it. */
  master: string;
  /** Below `/etc/kubernetes/pki`, or a kubeconfig's. */
  name: string;
  /** Seconds since 1970. */
  endsAt: number;
};

export type KeptCertificates = Noted & { instance?: { certificates: KeptCertificate[] } };

/** The most certificates that are kept of one master: kubeadm makes eleven. The rest of a folder with more files is left out. */
const MOST_OF_A_MASTER = 20;

/** The most certificates that the coordinator takes of an instance. Those that end first are kept. */
const MOST = 300;

/**
 * Looks when the control plane's certificates end, after a change of the cluster, and gives the times to the instance. Where no master answers, the
 * step adds a note and the earlier times stay: the change itself has succeeded. Nothing is kept of a master that does not answer beside others that
 * do.
 */
export const listCertificates = implementAction(declared<MastersStepInput, KeptCertificates>('list-certificates'), {
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
