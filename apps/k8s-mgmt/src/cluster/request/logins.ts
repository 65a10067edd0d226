import {
  loginOf,
  machineReference,
  overridingLogin,
  paramsAs,
  paramsSource,
  requestParamsSource,
  type LoginReference,
} from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import type { ClusterNode } from './nodes.js';
import { clusterParams, PARAM, type SecretParams } from '../../kubeadm/parameters/parameters.js';

const PARAMS = paramsSource<SecretParams>();
const REQUESTED = requestParamsSource<SecretParams>();

/** The members of the parameters that say how to log in to machines. */
type MachinesOf = 'master_node' | 'worker_node' | 'storage_server';

/** A machine, as steps of either driver take it: address and credentials are put in when the step is claimed. */
export function loginTo(hook: HookContext, prefix: MachinesOf, { vnfc, sshCp }: Pick<ClusterNode, 'vnfc' | 'sshCp'>) {
  const shown = clusterParams(hook.instantiateParams)[prefix];
  if (shown === undefined) throw new InvariantError(`the parameters have no ${prefix}`);
  return machineReference({
    name: vnfc.name,
    vnfcId: vnfc.id,
    sshCp,
    params: PARAMS,
    login: ({ k8s_cluster_installation_param: of }) => of[prefix],
    shown,
    override: overriding(hook, prefix),
  });
}

/** The login that a request to scale or heal gives in place of the instantiation's: in members of its own, or (v2) in the whole parameters. */
function overriding({ requestParams, hook }: HookContext, prefix: MachinesOf): LoginReference {
  if (hook.startsWith('instantiate')) return {};
  const repeated = paramsAs<Partial<SecretParams>>(requestParams)[PARAM]?.[prefix];
  const again =
    repeated === undefined ? {} : loginOf(REQUESTED, ({ k8s_cluster_installation_param: of }) => of[prefix], repeated);
  return { ...again, ...overridingLogin(prefix, requestParams) };
}
