import type { OpDraft } from '../records/records.js';
import type { RequestOutlook } from './request-outlook.js';
import type { SagaContext } from './operation-saga.js';
import type { MachinesToCome } from './machines-to-come.js';

/** What an operation's draft will hold at a hook: what its driver is told there. */
export type ForeseenDraft = Pick<OpDraft, 'instantiated' | 'affectedVnfcs' | 'heal' | 'connectivity'>;

/** The drafts at both hooks, from the record alone: what a look at the stack would tell beside is not known yet. */
export interface Foreseen {
  start: ForeseenDraft;
  end: ForeseenDraft;
}

/** Tells what its hooks' drivers will be told, before an operation is asked for. Pure. @param outlook what its request comes to */
export type Foresees = (context: SagaContext, outlook: RequestOutlook, toCome: MachinesToCome) => Foreseen;

/** Of an operation whose hooks see the instance as it is, with what it touches. */
export const foreseesSame: Foresees = (_context, { affectedVnfcs }) => {
  const same: ForeseenDraft = affectedVnfcs === undefined ? {} : { affectedVnfcs };
  return { start: same, end: same };
};
