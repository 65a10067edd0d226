import type { MastersContext, MastersStepInput } from '@windlass/driver-kit';
import { seconds, TerminalError } from '@windlass/foundation';
import { implementAction } from '@windlass/saga';
import { declared, type Noted } from '../cluster/action.js';
import { hasRunOut, RENEWAL, renewalOf, endText } from './lifetimes.js';
import { lookAtCertificates } from './look-at-certificates.js';

/**
 * Looks whether the control plane's certificates are good, before anything is made or touched. `masters` are all masters that stay. Masters that were
 * silent before are asked only where no other master answers. One master with good certificates is enough to go on; certificates that end soon are
 * noted.
 */
export const checkCertificates = implementAction(declared<MastersStepInput, Noted | undefined>('check-certificates'), {
  apply: async (context: MastersContext) => {
    const { seen, failures } = await lookAtCertificates(context);
    const [unreached] = failures;
    if (seen.length === 0 && unreached !== undefined) throw unreached;
    const told = seen.flatMap((each) => endText(each) ?? []);
    if (seen.length > 0 && seen.every(hasRunOut))
      throw new TerminalError(
        'certificates.run-out',
        `the cluster's certificates have run out, and its API answers nobody: ${told.join('; ')}. Nothing was changed: ${RENEWAL}, then retry`,
      );
    return told.length === 0 ? undefined : { notes: [`${told.join('; ')}: ${renewalOf(context.input.instance)}`] };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 1.5 },
});
