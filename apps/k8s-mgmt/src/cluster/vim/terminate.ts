import { clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { sequence, stepOf, type ActionContract, type Plan, type StepNode } from '@windlass/saga';
import { checkVimUnused } from './check-vim-unused.action.js';
import { deregisterVim } from './deregister-vim.action.js';
import type { VimIdInput } from './vim-context.js';

/** Nothing is deleted, or replaced as a whole, while something uses the cluster: the last look before the VMs go. */
export const terminateStart = (hook: HookContext): Plan => ({ root: sequence(vimStep(hook, checkVimUnused, {})) });

/**
 * The VIM goes after the VMs, as in the reference system: registering it again, if the operation were rolled back, would take a
 * token that nobody has any more. Past the stack's deletion there is no way back anyway.
 */
export const terminateEnd = (hook: HookContext): Plan => ({
  root: sequence(vimStep(hook, deregisterVim, { contributes: true })),
});

/**
 * A plan that makes the cluster anew when its VMs were replaced: the registration of the one that is gone goes first. Not before the VMs do, for until
 * then the operation may be rolled back, and the cluster is what it was.
 */
export const madeAnew = (hook: HookContext, plan: Plan): Plan => ({
  ...plan,
  root: sequence(vimStep(hook, deregisterVim, { contributes: true }), plan.root),
});

const vimStep = <Output>(
  { vnfInstanceId }: HookContext,
  action: ActionContract<VimIdInput, Output>,
  traits: StepNode['traits'],
): StepNode =>
  stepOf(action, {
    target: clusterVimId(vnfInstanceId),
    traits: { ...traits, undoable: false },
    input: { vimId: clusterVimId(vnfInstanceId) },
  });
