import { isSilence, LOOK, ofThisMachine, type MasterInput, type MastersContext } from '@windlass/driver-kit';
import { cmd } from '@windlass/mgmt-driver';
import { readLifetimes, type Lifetimes } from './lifetimes.js';
import { LIST_CERTIFICATES } from './scripts.js';

/** What masters said of their certificates, and the failures of machines that could not be reached. */
export interface Looked {
  seen: Lifetimes[];
  failures: Error[];
}

/** Asks all masters that were not silent before. Where none of them answers, the silent ones are asked. */
export async function lookAtCertificates(context: MastersContext): Promise<Looked> {
  const wasSilent = (master: MasterInput): boolean => context.silent.has(context.hostOf(master).target.resourceId);
  const [silent, others] = [context.input.masters.filter(wasSilent), context.input.masters.filter((each) => !wasSilent(each))];
  const first = await lifetimesOf(context, others);
  const looked = first.some(isSeen) ? first : [...first, ...(await lifetimesOf(context, silent))];
  return { seen: looked.filter(isSeen), failures: looked.filter((each) => each instanceof Error) };
}

const isSeen = (looked: Lifetimes | Error): looked is Lifetimes => 'certificates' in looked;

const lifetimesOf = (context: MastersContext, masters: readonly MasterInput[]): Promise<(Lifetimes | Error)[]> =>
  Promise.all(masters.map((master) => lifetimesOn(context, master)));

/** @returns the failure where the machine could not be reached */
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
