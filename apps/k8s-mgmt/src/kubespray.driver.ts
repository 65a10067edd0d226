import { defineDriver, type PureDriver } from '@windlass/driver-kit';
import { ACTIONS } from './actions.js';
import { K8S_SERVICE } from './cluster/action.js';
import { terminateStart } from './cluster/vim/terminate.js';
import { checkConnectivity } from './kubespray/check-connectivity.js';
import { checkHeal, checkInstantiation, checkScale, checkScaleToLevel } from './kubespray/check-request.js';
import { kubesprayOperationParameters, kubesprayParameters } from './kubespray/parameters.js';
import { healEnd, healStart, instantiateEnd, instantiateStart, scaleEnd, scaleStart, terminateEnd } from './kubespray/plans.js';
import type { K8sMgmtSettings } from './settings/settings.js';

/** The implementation's name in VNFDs. */
export const KUBESPRAY_DRIVER = 'mgmt-drivers-kubespray';

/** Kubernetes clusters by kubespray, on an Ansible server of the operator's. */
export const kubesprayDriver = (settings: K8sMgmtSettings): PureDriver =>
  defineDriver({
    name: KUBESPRAY_DRIVER,
    version: '0.1.0',
    service: K8S_SERVICE,
    actions: ACTIONS,
    parameters: kubesprayParameters,
    operationParameters: kubesprayOperationParameters,
    hooks: {
      instantiate_start: instantiateStart,
      instantiate_end: (hook) => instantiateEnd(hook, settings),
      scale_start: (hook) => scaleStart(hook, settings),
      scale_end: (hook) => scaleEnd(hook, settings),
      heal_start: (hook) => healStart(hook, settings),
      heal_end: (hook) => healEnd(hook, settings),
      terminate_start: terminateStart,
      terminate_end: terminateEnd,
    },
    checks: {
      INSTANTIATE: checkInstantiation,
      SCALE: checkScale,
      SCALE_TO_LEVEL: checkScaleToLevel,
      HEAL: checkHeal,
      CHANGE_EXT_CONN: checkConnectivity,
    },
  });
