import type { ReadStackOutput } from '../model/infra-actions.js';
import { defineInlineAction, type NoInput } from './inline-run.js';

/** The grant: everything that is asked for. From it a graceful termination's time runs, which ends at `graceUntil`, ISO 8601. */
export const grantAction = defineInlineAction<NoInput, { graceUntil?: string }>('grant');

/** Puts what the stack consists of into the draft: hooks see it from then on. */
export const keepResourcesAction = defineInlineAction<{ resources: ReadStackOutput }>('keep-resources');
