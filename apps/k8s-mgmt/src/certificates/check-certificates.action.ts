import { isSilence, LOOK, ofThisMachine, type MasterInput, type MastersContext } from '@windlass/driver-kit';
import { seconds, TerminalError } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import { checkCertificates } from './contracts.js';
import { hasRunOut, readLifetimes, RENEWAL, toldOf, type Lifetimes } from './lifetimes.js';
import { LIST_CERTIFICATES } from './scripts.js';

/**
 * Asks every master that can be reached, those that were silent before only where no other is there. One whose certificates are good is enough to go
 * on; what of others a person should know is noted.
 */
export const checkCertificatesWork = implementAction(checkCertificates, {
  apply: async (context: MastersContext) => {
    const wasSilent = (master: MasterInput): boolean => context.silent.has(context.hostOf(master).target.resourceId);
    const [silent, others] = [context.input.masters.filter(wasSilent), context.input.masters.filter((each) => !wasSilent(each))];
    const first = await lifetimesOf(context, others);
    const looked = first.some(isSeen) ? first : [...first, ...(await lifetimesOf(context, silent))];
    const seen = looked.filter(isSeen);
    const [unreached] = looked.filter((each) => each instanceof Error);
    if (seen.length === 0 && unreached !== undefined) throw unreached;
    const told = seen.flatMap((each) => toldOf(each) ?? []);
    if (seen.length > 0 && seen.every(hasRunOut))
      throw new TerminalError(
        'certificates.run-out',
        `the cluster's certificates have run out, and its API answers nobody: ${told.join('; ')}. Nothing was changed: ${RENEWAL}, then retry`,
      );
    return told.length === 0 ? undefined : { notes: [`${told.join('; ')}: ${RENEWAL}`] };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 1.5 },
});

const isSeen = (looked: Lifetimes | Error): looked is Lifetimes => 'certificates' in looked;

const lifetimesOf = (context: MastersContext, masters: readonly MasterInput[]): Promise<(Lifetimes | Error)[]> =>
  Promise.all(masters.map((master) => lifetimesOn(context, master)));

/** @returns what the machine said where it can't be reached */
async function lifetimesOn(context: MastersContext, master: MasterInput): Promise<Lifetimes | Error> {
  const terms = { within: LOOK, sudo: true, input: LIST_CERTIFICATES, expect: 'any' } as const;
  const host = context.hostOf(master);
  const { resourceId } = host.target;
  try {
    const { stdout } = await host.run(cmd`/bin/bash -s certificates`, terms);
    context.silent.delete(resourceId);
    return readLifetimes(master.address, stdout);
  } catch (error) {
    if (!ofThisMachine(error)) throw error;
    if (isSilence(error)) context.silent.add(resourceId);
    return error;
  }
}
