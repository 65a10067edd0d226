import type { OpDraft } from '../records/records.js';
import type { RequestOutlook } from './request-outlook.js';
import type { SagaContext } from './operation-saga.js';
import type { MachinesToCome } from './machines-to-come.js';

/** What an operation's draft will hold at a hook: what its driver is told there. */
export type ForeseenDraft = Pick<OpDraft, 'instantiated' | 'affectedVnfcs' | 'heal' | 'connectivity'>;

/** The drafts at both hooks, from the record alone. What only a look at the stack would tell is missing. */
export interface Foreseen {
  start: ForeseenDraft;
  end: ForeseenDraft;
}

/** Computes the drafts at an operation's hooks before the operation is accepted. Pure. @param outlook what the request comes to */
export type Foresees = (context: SagaContext, outlook: RequestOutlook, toCome: MachinesToCome) => Foreseen;

/** For an operation whose hooks see the instance unchanged, with the VNFCs that it touches. */
export const foreseesSame: Foresees = (_context, { affectedVnfcs }) => {
  const same: ForeseenDraft = affectedVnfcs === undefined ? {} : { affectedVnfcs };
  return { start: same, end: same };
};
