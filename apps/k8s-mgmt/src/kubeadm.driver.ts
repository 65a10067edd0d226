import { defineDriver, type PureDriver } from '@windlass/driver-kit';
import type { ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { sequence } from '@windlass/saga';
import { ACTIONS } from './actions.js';
import { K8S_SERVICE } from './cluster/action.js';
import { terminateEnd, terminateStart } from './cluster/vim/terminate.js';
import { defaultVimName } from './cluster/vim/vim-name.js';
import { certificatesAsked } from './kubeadm/certificates-asked.js';
import { checkConnectivity } from './kubeadm/checks/check-connectivity.js';
import { checkInstantiation } from './kubeadm/checks/check-instantiation.js';
import { healableNetwork, keepingNetwork } from './kubeadm/checks/check-network.js';
import { checkHeal, checkScale, checkScaleToLevel, operationParameters } from './kubeadm/checks/check-operation.js';
import { connectivityEnd, connectivityStart } from './kubeadm/connectivity.js';
import { healEnd, healStart } from './kubeadm/heal.js';
import { instantiateEnd } from './kubeadm/instantiate.js';
import { clusterParams, PARAM, parameterSchema } from './kubeadm/parameters/parameters.js';
import { withRegistries } from './kubeadm/parameters/registries.js';
import { scaleEnd, scaleStart } from './kubeadm/scale.js';
import { snapshotAsked } from './kubeadm/snapshot.js';
import type { K8sMgmtSettings } from './settings/settings.js';

/** The implementation's name in VNFDs. */
export const KUBERNETES_DRIVER = 'mgmt-drivers-kubernetes';

/** Kubernetes clusters by kubeadm. */
export const kubernetesDriver = (settings: K8sMgmtSettings): PureDriver =>
  defineDriver({
    name: KUBERNETES_DRIVER,
    version: '0.1.0',
    service: K8S_SERVICE,
    actions: ACTIONS,
    parameters: parameterSchema,
    operationParameters,
    hooks: {
      instantiate_start: () => ({ root: sequence() }),
      instantiate_end: (hook) => instantiateEnd(hook, settings),
      scale_start: (hook) => scaleStart(hook, settings),
      scale_end: (hook) => scaleEnd(hook, settings),
      heal_start: (hook) => healStart(hook, settings),
      heal_end: (hook) => healEnd(hook, settings),
      change_external_connectivity_start: (hook) => connectivityStart(hook, settings),
      change_external_connectivity_end: (hook) => connectivityEnd(hook, settings),
      modify_information_end: (hook) =>
        hook.request.windlassSnapshots === 'take' ? snapshotAsked(hook, settings) : certificatesAsked(hook, settings),
      terminate_start: terminateStart,
      terminate_end: terminateEnd,
    },
    checks: {
      INSTANTIATE: (request) => withVimName(request, checkInstantiation(request, settings)),
      SCALE: withRegistries(keepingNetwork(checkScale)),
      SCALE_TO_LEVEL: withRegistries(keepingNetwork(checkScaleToLevel)),
      HEAL: withRegistries(healableNetwork(keepingNetwork(checkHeal), settings)),
      CHANGE_EXT_CONN: keepingNetwork(checkConnectivity),
    },
  });

/** Refuses a name that another VIM has: the registration, the last step after all is installed, would fail. */
function withVimName({ requestParams, vnfInstanceId }: ValidateRequest, reply: ValidateReply): ValidateReply {
  if (reply.invalidParams.length > 0) return reply;
  const name = clusterParams(requestParams).vim_name ?? defaultVimName(vnfInstanceId);
  return { ...reply, vimNames: [{ path: `/additionalParams/${PARAM}/vim_name`, name }] };
}
