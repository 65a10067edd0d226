import type { OpDraft } from '../records/records.js';
import type { RequestEffect } from './request-effect.js';
import type { SagaContext } from './operation-saga.js';
import type { PlaceholderVms } from './placeholder-vms.js';

/** What an operation's draft will hold at a hook: what its driver is told there. */
export type HookDraft = Pick<OpDraft, 'instantiated' | 'affectedVnfcs' | 'heal' | 'connectivity'>;

/** The drafts at both hooks, from the record alone. What only a look at the stack would tell is missing. */
export interface PredictedDrafts {
  start: HookDraft;
  end: HookDraft;
}

/** Computes the drafts at an operation's hooks before the operation is accepted. Pure. @param effect what the request comes to */
export type PredictDrafts = (context: SagaContext, effect: RequestEffect, placeholders: PlaceholderVms) => PredictedDrafts;

/** For an operation whose hooks see the instance unchanged, with the VNFCs that it touches. */
export const predictUnchanged: PredictDrafts = (_context, { affectedVnfcs }) => {
  const same: HookDraft = affectedVnfcs === undefined ? {} : { affectedVnfcs };
  return { start: same, end: same };
};
