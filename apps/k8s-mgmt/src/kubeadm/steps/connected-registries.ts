import {
  connectRegistries,
  packagePath,
  paramsSource,
  requestParamsSource,
  type ConnectRegistriesInput,
  type PackageFileRef,
  type RegistryInput,
} from '@windlass/driver-kit';
import { InvariantError } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { parallel, serial, sourced, type Given, type GivenInput, type PathTo, type PlanNode } from '@windlass/saga';
import type { ClusterSteps } from './node-steps.js';
import type { ClusterNode } from '../../cluster/request/nodes.js';
import { clusterParams, type RegistryParams, type SecretParams } from '../parameters/parameters.js';
import { hostsOf, isHttp, placeOf, requestedRegistries } from '../parameters/registries.js';

const PARAMS = paramsSource<SecretParams>();
const REQUESTED = requestParamsSource<SecretParams>();

/** What a node goes through to know the request's registries; nothing where no request names any. */
export function connected(steps: ClusterSteps, node: ClusterNode): PlanNode[] {
  const { hook } = steps;
  const requested = requestedRegistries(hook);
  const registries = requested ?? clusterParams(hook.instantiateParams).private_registry_connection_info ?? [];
  if (registries.length === 0) return [];
  // There is no undo: what the step makes is deleted with the VM.
  return [connecting(steps, node, registries, requested === undefined ? PARAMS : REQUESTED)];
}

/**
 * Tells nodes that stay the registries that the request gives, such as a registry with its new password; an empty list removes all. Masters go one
 * after another, for a container runtime may restart.
 */
export function connectedAnew(steps: ClusterSteps, nodes: readonly ClusterNode[]): PlanNode[] {
  const requested = requestedRegistries(steps.hook);
  if (requested === undefined) return [];
  const of = (role: ClusterNode['role']): PlanNode[] =>
    nodes.filter((node) => node.role === role).map((node) => connecting(steps, node, requested, REQUESTED));
  return [parallel([serial(of('master')), ...of('worker')])];
}

function connecting(
  steps: ClusterSteps,
  node: ClusterNode,
  registries: readonly RegistryParams[],
  from: typeof PARAMS,
): PlanNode {
  const input: GivenInput<ConnectRegistriesInput> = {
    ...steps.onMachine(node),
    registries: registries.map((registry, at) => registryOf(steps.hook, registry, at, from)),
  };
  return steps.step(connectRegistries, node, input, { undoable: false });
}

/** The password is put in when the step is claimed. */
function registryOf(hook: HookContext, registry: RegistryParams, at: number, from: typeof PARAMS): Given<RegistryInput> {
  const { server, username, password, certificate_path: path, hosts_string: hosts } = registry;
  const secret = sourced(from, ({ k8s_cluster_installation_param: of }) => passwordAt(of.private_registry_connection_info, at));
  const { host, project } = placeOf(server);
  return {
    server: host,
    ...(project === undefined ? {} : { project }),
    scheme: isHttp(registry) ? 'http' : 'https',
    ...(username === undefined || password === undefined ? {} : { username, password: secret }),
    ...(path === undefined || isHttp(registry) ? {} : { certificate: certificateOf(hook, path) }),
    ...(hosts === undefined ? {} : { hosts: hostsOf(hosts) }),
  };
}

// eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- a place in what is not there yet, of a list whose length the hook knows
const passwordAt = (registries: PathTo<RegistryParams[]>, at: number) => registries[at]!.password;

function certificateOf({ files, vnfPkgId }: HookContext, path: string): PackageFileRef {
  const file = files.find((each) => each.path === packagePath(path));
  if (file === undefined) throw new InvariantError(`the package has no ${path}, which was there when the request came`);
  return { vnfPkgId, path: file.path, size: file.size, sha256: file.sha256 };
}
