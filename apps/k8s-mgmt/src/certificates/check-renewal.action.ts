import type { MastersContext, MastersStepInput } from '@windlass/driver-kit';
import { seconds, TerminalError, TransientError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import type { Lifetimes } from './lifetimes.js';
import { lookAtCertificates } from './look-at-certificates.js';

/** The certificate that members of etcd show each other. */
const PEER = 'etcd/peer.crt';

/**
 * Checks that the masters' certificates can be renewed one master after another, before any is renewed: each master has to answer, and a majority of
 * etcd's members has to hold peer certificates that are good. `masters` are all masters.
 */
export const checkRenewal = implementAction(declared<MastersStepInput>('check-renewal'), {
  apply: async (context: MastersContext) => {
    const { seen, failures } = await lookAtCertificates(context);
    const silent = context.input.masters.filter(({ address }) => !seen.some((each) => each.address === address));
    if (silent.length > 0)
      throw new TransientError(
        'certificates.master-silent',
        `nothing was renewed: ${listed(silent)} can't be logged in to, and a control plane that is started anew can't spare it. Start or heal it, then retry`,
        { cause: failures[0] },
      );
    const others = seen.filter(({ certificates }) => !certificates.some(({ name }) => name === 'apiserver.crt'));
    if (others.length > 0)
      throw new TerminalError(
        'certificates.not-kubeadm',
        `nothing was renewed: ${listed(others)} has no /etc/kubernetes/pki/apiserver.crt, which kubeadm would renew. Renew its certificates as they were made`,
      );
    checkPeers(seen);
    return undefined;
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 1.5 },
});

/**
 * The renewal of a master waits until its etcd answers, while other masters still have their old certificates. Where no majority can talk to each
 * other, the wait for the first master would never end. A renewed master counts to the majority, so the masters after it follow.
 * @throws TerminalError `certificates.peers-run-out`
 */
function checkPeers(masters: readonly Lifetimes[]): void {
  const out = masters.filter(({ certificates }) =>
    certificates.some(({ name, secondsLeft }) => name === PEER && secondsLeft <= 0),
  );
  const good = masters.length - out.length;
  if (masters.length === 1 || good > masters.length / 2) return;
  throw new TerminalError(
    'certificates.peers-run-out',
    `nothing was renewed: ${PEER} has run out on ${listed(out)}, so that members of etcd refuse each other and no master can be waited for alone. Renew on all masters by hand, as "Where etcd has lost its majority" in docs/runbooks/certificates.md says, then have them looked at`,
  );
}

const listed = (masters: readonly { address: string }[]): string =>
  `master ${masters.map(({ address }) => address).join(', master ')}`;
