import type { ReadStackOutput } from '../stack/infra-actions.js';
import { defineInlineAction } from './inline-run.js';

/** What an NFVO was asked and what it answered (SOL003 9.5.2.2, 9.5.2.3), as JSON texts. Neither where the grant is local, as in journals of older releases. */
export interface GrantInput {
  asked?: string;
  answer?: string;
}

/**
 * The grant: the NFVO's where it gave one, which is applied; else everything that is asked for. From it the time of a graceful end runs, which is
 * over at `graceUntil`, ISO 8601.
 */
export const grantAction = defineInlineAction<GrantInput, { graceUntil?: string }>('grant');

/** Puts what the stack consists of into the draft: hooks see it from then on. */
export const keepResourcesAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-resources');
