import { InvariantError } from '@windlass/foundation';
import type { DriverDescription, HookContext, ManagementDriver, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import { defaultVimName } from '../ids.js';
import type { K8sMgmtSettings } from '../settings.js';
import { checkInstantiation } from './check-instantiation.js';
import { instantiateEnd } from './instantiate-end.js';
import { K8S_SERVICE } from './node-steps.js';
import { parameterSchema } from './parameter-schema.js';
import { clusterParams, PARAM } from './parameters.js';
import { terminateEnd, terminateStart } from './terminate.js';

/** The implementation's name in VNFDs. */
export const KUBERNETES_DRIVER = 'mgmt-drivers-kubernetes';
const VERSION = '0.1.0';

export interface KubernetesDriverOptions {
  settings: K8sMgmtSettings;
  /** `name@version` of every action that the service's workers have. */
  actions: readonly { name: string; version: number }[];
}

/** Kubernetes clusters by kubeadm, flavours with one master. */
export class KubernetesDriver implements ManagementDriver {
  constructor(private readonly options: KubernetesDriverOptions) {}

  describe(): DriverDescription {
    return {
      contract: 2,
      driver: KUBERNETES_DRIVER,
      version: VERSION,
      service: K8S_SERVICE,
      // Those of scaling and healing are missing, so such requests are refused: new VMs would never join the cluster, and those that leave would stay in it.
      hooks: ['instantiate_start', 'instantiate_end', 'terminate_start', 'terminate_end'],
      actions: this.options.actions.map(({ name, version }) => ({ name, version })),
      parameters: parameterSchema,
    };
  }

  validate(request: ValidateRequest): ValidateReply {
    if (request.operation === 'INSTANTIATE') {
      const reply = checkInstantiation(request, this.options.settings);
      return reply.invalidParams.length > 0 ? reply : { ...reply, vimNames: [vimNameOf(request)] };
    }
    return { invalidParams: [], warnings: [], normalised: {} };
  }

  plan(hook: HookContext): Plan {
    const madeBy = { driver: KUBERNETES_DRIVER, version: VERSION };
    if (hook.hook === 'instantiate_end') return instantiateEnd(hook, this.options.settings, madeBy);
    if (hook.hook === 'terminate_start') return { madeBy, ...terminateStart(hook) };
    if (hook.hook === 'terminate_end') return { madeBy, ...terminateEnd(hook) };
    if (hook.hook !== 'instantiate_start')
      throw new InvariantError(`${KUBERNETES_DRIVER} does nothing at ${hook.hook} in this release`);
    return { madeBy, root: sequence() };
  }
}

/** Another VIM of that name would be found at the very end, when all is installed. */
const vimNameOf = ({ requestParams, vnfInstanceId }: ValidateRequest): { path: string; name: string } => ({
  path: `/additionalParams/${PARAM}/vim_name`,
  name: clusterParams(requestParams).vim_name ?? defaultVimName(vnfInstanceId),
});
