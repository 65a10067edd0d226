import {
  loginOf,
  overridingLogin,
  paramsSource,
  requestParamsSource,
  serverId,
  type LoginReference,
  type ServerInput,
} from '@windlass/driver-kit';
import { withoutEnd } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import { stepOf, type ActionContract, type GivenInput, type Step, type StepTraits } from '@windlass/saga';
import { K8S_SERVICE } from '../cluster/action.js';
import type { ClusterNode } from '../cluster/request/nodes.js';
import type { AnsibleStepInput, Kubespray, PlaybookKind } from './ansible-input.js';
import { checkAnsible } from './check-ansible.action.js';
import { kubesprayParams, repeatedParams, type KubesprayParams, type KubespraySecrets } from './parameters.js';

const PARAMS = paramsSource<KubespraySecrets>();
const REQUESTED = requestParamsSource<KubespraySecrets>();

/** Makes steps on the Ansible server, of an instance whose VMs may be gone. */
export class ServerSteps {
  readonly params: KubesprayParams;

  constructor(readonly hook: HookContext) {
    this.params = kubesprayParams(hook.instantiateParams);
  }

  /** A step on the Ansible server. Steps of one VNF instance run one at a time there, and hold the limits of nodes that they touch. */
  onServer<Input extends AnsibleStepInput, Output>(
    action: ActionContract<Input, Output>,
    input: GivenInput<Omit<NoInfer<Input>, keyof AnsibleStepInput>>,
    { traits = {}, id, nodes = [] }: { traits?: StepTraits; id?: string; nodes?: readonly ClusterNode[] } = {},
  ): Step<Output> {
    const { vnfInstanceId } = this.hook;
    return stepOf(action, {
      ...(id === undefined ? {} : { id }),
      target: this.#ansible.ip_address,
      limits: [`${K8S_SERVICE}:ansible-${vnfInstanceId}`, ...nodes.map(({ vnfc }) => `host:${vnfc.resourceId}`)],
      traits,
      input: { ...this.#server, ...input } as GivenInput<Input>,
    });
  }

  /** The first step of each plan: checks that the Ansible server has all that the operation needs. */
  checked(...playbooks: PlaybookKind[]): Step<Kubespray> {
    const { master_node: master, worker_node: worker } = this.params;
    const sshpass = [master, worker].some((group) => group.private_key === undefined);
    return this.onServer(checkAnsible, { playbooks, sshpass }, { traits: { undoable: false } });
  }

  /** The Ansible server of this operation: a request to scale or heal may name a different one. */
  get #ansible() {
    const repeated = this.hook.hook.startsWith('instantiate') ? undefined : repeatedParams(this.hook.requestParams).ansible;
    return repeated ?? this.params.ansible;
  }

  get #server(): GivenInput<AnsibleStepInput> {
    const shown = this.#ansible;
    const { vnfInstanceId, requestParams } = this.hook;
    const repeated = shown !== this.params.ansible;
    const login = loginOf(repeated ? REQUESTED : PARAMS, ({ k8s_cluster_installation_param: of }) => of.ansible, shown);
    const single = this.hook.hook.startsWith('instantiate') ? {} : overridingLogin('ansible', requestParams);
    const server = {
      name: `Ansible server ${shown.ip_address}`,
      id: serverId(vnfInstanceId, shown.ip_address),
      address: shown.ip_address,
      ...overridden(login, single),
    } as GivenInput<ServerInput>;
    return {
      instance: vnfInstanceId,
      server,
      rootPath: withoutSlash(shown.kubespray_root_path),
      folder: `${withoutSlash(shown.transferring_inventory_path)}/windlass-${vnfInstanceId}`,
    };
  }
}

/** Merges two logins. A password or key of the request takes the place of all secrets of the instantiation. */
function overridden(login: LoginReference, { username, ...secrets }: LoginReference): LoginReference {
  const { username: before, ...kept } = login;
  const user = username ?? before;
  const overrides = secrets.password !== undefined || secrets.private_key !== undefined;
  return { ...(user === undefined ? {} : { username: user }), ...(overrides ? secrets : kept) };
}

const withoutSlash = (path: string): string => withoutEnd(path, '/') || path.slice(0, 1);
