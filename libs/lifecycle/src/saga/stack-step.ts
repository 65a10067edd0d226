import { sourced, type StepNode } from '@windlass/saga';
import type { ScaleInfo } from '@windlass/sol003';
import { INFRA_SERVICE } from '../model/infra-actions.js';
import { stackNameOf } from '../model/names.js';
import type { SagaContext } from './operation-saga.js';

/** The source of the tag that this Windlass gives its things. */
export const DEPLOYMENT_TAG = 'deployment-tag';

/** A step of the infra driver on the instance's stack, named after its action. */
export const onStack = (context: SagaContext, action: string, input: StepNode['input']): StepNode => ({
  kind: 'step',
  id: action,
  action,
  version: 1,
  service: INFRA_SERVICE,
  target: stackNameOf(context.instance.id),
  limits: vimLimit(context),
  input: { vim: sourced('vim'), vnfInstanceId: context.instance.id, ...input },
});

/** By which a step that changes or deletes a stack sees that it is this Windlass's. */
export const ofThisDeployment = { deploymentTag: sourced(DEPLOYMENT_TAG) };

/** A step that changes nothing, or nothing that can be taken back: a roll-back passes it over. */
export const notUndone = (step: StepNode): StepNode => ({ ...step, traits: { undoable: false } });

/** What `read-stack` and its kin tell the VNFCs apart by. */
export const reading = { flavour: sourced('flavour'), request: sourced('request-for-vim') };

/** Where the aspects stand now. */
export const levelsOf = ({ instance }: SagaContext): Record<string, number> => levelsIn(instance.instantiated?.info.scaleStatus);

/** The same of any list of them, by aspect. */
export const levelsIn = (status: readonly ScaleInfo[] = []): Record<string, number> =>
  Object.fromEntries(status.map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]));

/** All that one VIM is asked for at once counts together. */
export const vimLimit = ({ opOcc }: SagaContext): string[] => {
  const { vim } = opOcc.draft;
  return vim === undefined ? [] : [`vim:${vim.vimId ?? vim.connectionId}`];
};
