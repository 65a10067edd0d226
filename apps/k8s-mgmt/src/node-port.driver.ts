import { defineDriver, type PureDriver } from '@windlass/driver-kit';
import { ACTIONS } from './actions.js';
import { K8S_SERVICE } from './cluster/action.js';
import { checkInstantiation, checkOperation } from './node-ports/check-request.js';
import { nodePortOperationParameters, nodePortParameters } from './node-ports/parameters.js';
import { healEnd, healStart, instantiateEnd, instantiateStart, terminateEnd, terminateStart } from './node-ports/plans.js';
import type { K8sMgmtSettings } from './settings/settings.js';

/** The implementation's name in VNFDs. */
export const NODE_PORT_DRIVER = 'mgmt-drivers-cnf-nodeport';

/** Services of the type NodePort of VNFs of containers, on the load balancer before their cluster. */
export const nodePortDriver = (settings: K8sMgmtSettings): PureDriver =>
  defineDriver({
    name: NODE_PORT_DRIVER,
    version: '0.1.0',
    service: K8S_SERVICE,
    actions: ACTIONS,
    parameters: nodePortParameters,
    operationParameters: nodePortOperationParameters,
    hooks: {
      instantiate_start: instantiateStart,
      instantiate_end: (hook) => instantiateEnd(hook, settings),
      heal_start: (hook) => healStart(hook, settings),
      heal_end: (hook) => healEnd(hook, settings),
      terminate_start: (hook) => terminateStart(hook, settings),
      terminate_end: (hook) => terminateEnd(hook, settings),
    },
    checks: { INSTANTIATE: checkInstantiation, HEAL: checkOperation, TERMINATE: checkOperation },
  });
