import type { ReadStackOutput } from '../model/infra-actions.js';
import { defineInlineAction, type NoInput } from './inline-run.js';

/** The grant: everything that is asked for. From it the time of a graceful end runs, which is over at `graceUntil`, ISO 8601. */
export const grantAction = defineInlineAction<NoInput, { graceUntil?: string }>('grant');

/** Puts what the stack consists of into the draft: hooks see it from then on. */
export const keepResourcesAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-resources');
