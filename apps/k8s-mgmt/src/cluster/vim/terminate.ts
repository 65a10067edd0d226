import { clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { sequence, stepOf, type ActionContract, type Plan, type StepNode } from '@windlass/saga';
import { checkVimUnused } from './check-vim-unused.action.js';
import { deregisterVim } from './deregister-vim.action.js';
import type { VimIdInput } from './vim-context.js';

/** Nothing is deleted, or replaced as a whole, while something uses the cluster: the last look before the VMs go. */
export const terminateStart = (hook: HookContext): Plan => ({ root: sequence(vimStep(hook, checkVimUnused, {})) });

/**
 * The VIM is deregistered after the VMs are gone, as in the reference system. A roll-back could not register the VIM again: nobody has its token any
 * more. Past the stack's deletion no roll-back is possible anyway.
 */
export const terminateEnd = (hook: HookContext): Plan => ({
  root: sequence(vimStep(hook, deregisterVim, { contributes: true })),
});

/**
 * A plan that makes the cluster again after its VMs were replaced. Its first step deregisters the previous cluster: not before the VMs are replaced,
 * for until then a roll-back keeps that cluster.
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
