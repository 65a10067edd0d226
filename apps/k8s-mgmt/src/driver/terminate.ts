import { clusterVimId, type HookContext } from '@windlass/mgmt-driver';
import { sequence, type Plan, type StepNode } from '@windlass/saga';
import { K8S_SERVICE } from './node-steps.js';

/** Nothing is deleted while something uses the cluster: the last look before the VMs go. */
export const terminateStart = (hook: HookContext): Plan => ({ root: sequence(vimStep(hook, 'check-vim-unused', {})) });

/**
 * The VIM goes after the VMs, as in the reference system: registering it again, if the operation were rolled back, would take a
 * token that nobody has any more. Past the stack's deletion there is no way back anyway.
 */
export const terminateEnd = (hook: HookContext): Plan => ({
  root: sequence(vimStep(hook, 'deregister-vim', { contributes: true })),
});

const vimStep = (hook: HookContext, action: string, traits: StepNode['traits']): StepNode => ({
  kind: 'step',
  id: action,
  action,
  version: 1,
  service: K8S_SERVICE,
  target: clusterVimId(hook.vnfInstanceId),
  traits: { ...traits, undoable: false },
  input: { vimId: clusterVimId(hook.vnfInstanceId) },
});
