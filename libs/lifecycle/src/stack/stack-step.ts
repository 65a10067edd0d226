import { source, sourced, stepOf, type ActionContract, type GivenInput, type Step } from '@windlass/saga';
import type { ScaleInfo } from '@windlass/sol003';
import type { Flavour } from '@windlass/vnf-package';
import type { DesiredConnectivity } from '../records/desired-state.js';
import type { NamedImage, WantedFlavor } from './infra-actions.js';
import type { VimAccess } from '../records/vim-access.js';
import { stackNameOf } from '../records/names.js';
import type { StackIdentity } from '../records/records.js';
import { limitOfVim } from '../records/limit-keys.js';
import type { SagaContext } from '../operation/operation-saga.js';

/** The source of the tag that this Windlass gives its things. */
export const DEPLOYMENT_TAG = source<string>('deployment-tag');
/** The source of the VIM that the operation works on. */
export const VIM = source<VimAccess>('vim');
/** The source of the instance's stack, as it stands now. */
export const STACK = source<StackIdentity>('stack');
/** The source of the flavour's model. */
export const FLAVOUR = source<Flavour>('flavour');
/** The source of what tells the VNFCs of the stack apart. */
export const CONNECTIVITY = source<DesiredConnectivity>('request-for-vim');

/** The source of the images that the VIM must have already. */
export const IMAGES_IN_VIM = source<NamedImage[]>('images-in-vim');

/** The source of the VDUs that name no Nova flavor, with what they need of one. */
export const WANTED_FLAVORS = source<WantedFlavor[]>('wanted-flavors');

interface OnStack {
  vim: VimAccess;
  vnfInstanceId: string;
}

/** A step of the infra driver on the instance's stack, named after its action. */
export const onStack = <Input extends OnStack, Output>(
  context: SagaContext,
  action: ActionContract<Input, Output>,
  input: GivenInput<Omit<NoInfer<Input>, keyof OnStack>>,
): Step<Output> =>
  stepOf<OnStack, Output>(action, {
    target: stackNameOf(context.instance.id),
    limits: vimLimit(context),
    input: { vim: sourced(VIM), vnfInstanceId: context.instance.id, ...input },
  });

/** By which a step that changes or deletes a stack sees that it is this Windlass's. */
export const ofThisDeployment = { deploymentTag: sourced(DEPLOYMENT_TAG) };

/** A step that changes nothing, or nothing that can be taken back: a roll-back passes it over. */
export const notUndone = <Output>(step: Step<Output>): Step<Output> => ({ ...step, traits: { undoable: false } });

/** What `read-stack` and its kin tell the VNFCs apart by. */
export const reading = { flavour: sourced(FLAVOUR), request: sourced(CONNECTIVITY) };

/** Where the aspects stand now. */
export const levelsOf = ({ instance }: SagaContext): Record<string, number> => levelsIn(instance.instantiated?.info.scaleStatus);

/** The same of any list of them, by aspect. */
export const levelsIn = (status: readonly ScaleInfo[] = []): Record<string, number> =>
  Object.fromEntries(status.map(({ aspectId, scaleLevel }) => [aspectId, scaleLevel]));

/** All that one VIM is asked for at once counts together. */
export const vimLimit = ({ opOcc }: SagaContext): string[] => {
  const { vim } = opOcc.draft;
  return vim === undefined ? [] : [limitOfVim(opOcc.tenant, vim)];
};
