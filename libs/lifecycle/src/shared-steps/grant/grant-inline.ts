import { takeGrant } from './take-grant.js';
import { grantAction } from './grant-actions.js';
import { inlineAction, type InlineActions } from '../../operation/inline-run.js';

/** The grant, of an operation that has nothing else to begin with. */
export const grantInline: InlineActions = inlineAction(grantAction, async (run) => {
  await takeGrant(run);
  return {};
});
