import { API_PORT, loginAddress, paramsSource, type MasterInput } from '@windlass/driver-kit';
import { hostInUrl, minutes, TerminalError, toJsonObject, type JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import {
  common,
  outputOf,
  sourced,
  stepCalled,
  stepOf,
  type ActionContract,
  type GivenInput,
  type Step,
  type StepTraits,
} from '@windlass/saga';
import type { ClusterInput, ClusterStepInput, NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { drainTerms } from '../cluster/request/drain-terms.js';
import { loginTo } from '../cluster/request/logins.js';
import { nodesAmong, type ClusterNode } from '../cluster/request/nodes.js';
import { verificationImageOf } from '../cluster/request/verification.js';
import { externalLb, type ExternalLbSteps } from '../external-lb/steps.js';
import { PARAM } from '../parameters/of-clusters.js';
import type { K8sMgmtSettings } from '../settings/settings.js';
import type { AnsibleStepInput, PlaybookStepInput } from './ansible-input.js';
import { checkAnsible } from './check-ansible.action.js';
import type { KubesprayParams, KubespraySecrets } from './parameters.js';
import { prepareInventory } from './prepare-inventory.action.js';
import { removeWorkers } from './remove-workers.action.js';
import { runPlaybook } from './run-playbook.action.js';
import { ServerSteps } from './server-steps.js';
import { writeInventory } from './write-inventory.action.js';

const PARAMS = paramsSource<KubespraySecrets>();

/** kubespray's own, where the request names none. */
const DEFAULT_PODS = '10.233.64.0/18';
const DEFAULT_SERVICES = '10.233.0.0/18';

/** 2700 s a node, as the reference system has it (spec/mgmt-kubernetes.md section 3). */
const PER_NODE = minutes(45);
const FACTS = minutes(5);

/** A node's name holds its whole address, so that it depends on no other node and never changes. */
export const nodeName = ({ role, address }: ClusterNode): string => `${role}-${address.replaceAll('.', '-')}`;

/** Makes the steps of a cluster that kubespray makes. What they share stands once in the plan. */
export class KubespraySteps extends ServerSteps {
  readonly masters: readonly ClusterNode[];
  readonly workers: readonly ClusterNode[];
  /** The external load balancer's steps. */
  readonly balancer: ExternalLbSteps;
  readonly #common: { cluster: ClusterInput };

  /** @throws TerminalError `cluster.no-master`, `cluster.same-address` when the VNFCs are not what the parameters say */
  constructor(
    hook: HookContext,
    private readonly settings: K8sMgmtSettings,
  ) {
    super(hook);
    this.balancer = externalLb(hook, settings);
    const nodes = this.nodesAmong(hook.vnfcs);
    this.masters = nodes.filter(({ role }) => role === 'master');
    this.workers = nodes.filter(({ role }) => role === 'worker');
    const [master] = this.masters;
    const {
      ssh_cp_name: cp,
      pod_cidr: podCidr = DEFAULT_PODS,
      cluster_cidr: serviceCidr = DEFAULT_SERVICES,
    } = this.params.master_node;
    if (master === undefined)
      throw new TerminalError('cluster.no-master', `no VM has the CP ${cp} of the master: is master_node right?`);
    const twin = nodes.find((node, at) => nodes.findIndex(({ address }) => address === node.address) !== at);
    if (twin !== undefined) throw new TerminalError('cluster.same-address', `two nodes have the address ${twin.address}`);
    this.#common = {
      cluster: {
        address: master.address,
        publicAddress: null,
        podCidr,
        serviceCidr,
        nodes: nodes.map((node) => ({ name: nodeName(node), role: node.role, address: node.address })),
        noProxy: '',
      },
    };
  }

  /** What the pods run that try the cluster. */
  get verificationImage(): string {
    return verificationImageOf(this.hook, this.settings);
  }

  /** Masters first. */
  get nodes(): readonly ClusterNode[] {
    return [...this.masters, ...this.workers];
  }

  /** The nodes among VNFCs, those that leave included. */
  nodesAmong(vnfcs: HookContext['vnfcs']): ClusterNode[] {
    return nodesAmong({ ...this.hook, instantiateParams: { [PARAM]: toJsonObject(withNics(this.params)) } }, vnfcs);
  }

  /** The plan's common part. */
  get common(): JsonObject {
    return toJsonObject(this.#common);
  }

  /** Addresses outside of the cluster at which a master is logged in to. */
  get outerAddresses(): string[] {
    const all = this.masters.map(({ vnfc, sshCp }) => loginAddress(vnfc.cps.find(({ cpdId }) => cpdId === sshCp)));
    const inner = this.nodes.map(({ address }) => address);
    return [...new Set(all.filter((address) => address !== undefined && !inner.includes(address)))] as string[];
  }

  /** Where the API is reached from outside: at the load balancer, or else at the first master. */
  get apiUrl(): string {
    const { endpoint } = this.balancer;
    if (endpoint !== undefined) return `https://${hostInUrl(endpoint.address)}:${endpoint.port}`;
    const [master] = this.masters as [ClusterNode];
    return `https://${hostInUrl(this.outerAddresses[0] ?? master.address)}:${API_PORT}`;
  }

  /** Prepares the instance's folder with its group variables, and waits for fresh nodes. */
  prepared(fresh: readonly ClusterNode[], { anew = false }: { anew?: boolean } = {}): Step {
    const { pod_cidr: podCidr, cluster_cidr: serviceCidr } = this.params.master_node;
    const variables = {
      ...(podCidr === undefined ? {} : { podCidr }),
      ...(serviceCidr === undefined ? {} : { serviceCidr }),
      addresses: [...new Set([...(this.balancer.endpoint?.names ?? []), ...this.outerAddresses])],
    };
    return this.onServer(
      prepareInventory,
      {
        kubespray: this.kubespray,
        variables,
        masters: this.masterInputs,
        fresh: fresh.map((node) => this.node(node)),
        ...(anew ? { anew } : {}),
      },
      { traits: { undoable: anew && this.hook.hook === 'instantiate_end' }, nodes: fresh },
    );
  }

  /** @param before the nodes that the undo restores; without it the step has no undo */
  written(nodes: readonly ClusterNode[], before?: readonly ClusterNode[]): Step {
    const inventory = (all: readonly ClusterNode[]) => all.map((node) => this.node(node));
    return this.onServer(
      writeInventory,
      {
        kubespray: this.kubespray,
        format: this.format,
        nodes: inventory(nodes),
        ...(before === undefined ? {} : { before: inventory(before) }),
      },
      { traits: { undoable: before !== undefined } },
    );
  }

  /** A playbook over the whole inventory. */
  played(playbook: 'cluster' | 'facts', about?: readonly ClusterNode[]): Step {
    const within = playbook === 'facts' ? FACTS : PER_NODE * this.nodes.length;
    return this.onServer(
      runPlaybook,
      { ...this.playing(within), playbook, ...(about === undefined ? {} : { about: about.map(nodeName) }) },
      {
        id: `${runPlaybook.name}:${playbook}`,
        traits: { undoable: false, contributes: true },
        nodes: playbook === 'cluster' ? this.nodes : [],
      },
    );
  }

  /** Has new workers join. @param undoable whether the undo removes them from the cluster */
  scaled(came: readonly ClusterNode[], undoable: boolean): Step {
    return this.onServer(
      runPlaybook,
      {
        ...this.playing(PER_NODE * came.length),
        playbook: 'scale' as const,
        about: came.map(nodeName),
        ...(undoable ? { masters: this.masterInputs } : {}),
      },
      { id: `${runPlaybook.name}:scale`, traits: { undoable, contributes: true }, nodes: came },
    );
  }

  /** Removes workers. The inventory lists them until they have left. */
  removed(leaving: readonly ClusterNode[]): Step {
    return this.onServer(
      removeWorkers,
      { ...this.playing(PER_NODE), leaving: leaving.map(nodeName), masters: this.masterInputs },
      { traits: { contributes: true }, nodes: leaving },
    );
  }

  /** What a playbook is run with. */
  playing(withinMs: number): GivenInput<Omit<PlaybookStepInput, keyof AnsibleStepInput>> {
    const has = this.params.proxy !== undefined;
    return {
      kubespray: this.kubespray,
      format: this.format,
      nodes: this.nodes.map((node) => this.node(node)),
      proxy: has ? sourced(PARAMS, ({ k8s_cluster_installation_param: of }) => of.proxy) : {},
      withinMs,
    };
  }

  /** What `check-ansible`, the first step, saw. */
  get kubespray() {
    return outputOf(stepCalled(checkAnsible));
  }

  get format() {
    return this.params.ansible.inventory_format ?? 'yaml';
  }

  /** A step on the cluster as a whole, through any of its masters. */
  onCluster<Input extends ClusterStepInput, Output>(
    action: ActionContract<Input, Output>,
    input: GivenInput<Omit<NoInfer<Input>, keyof ClusterStepInput>>,
    traits: StepTraits = {},
  ): Step<Output> {
    const asking = { ...this.#cluster, masters: this.masterInputs };
    return stepOf(action, { target: this.#common.cluster.address, traits, input: { ...asking, ...input } as GivenInput<Input> });
  }

  /** A step about one node. It asks the cluster, and the node need not answer. */
  onNode<Input extends NodeStepInput, Output>(
    action: ActionContract<Input, Output>,
    node: ClusterNode,
    input: GivenInput<Omit<NoInfer<Input>, keyof NodeStepInput>>,
    traits: StepTraits = {},
  ): Step<Output> {
    const name = nodeName(node);
    const asking = { ...this.#cluster, node: this.node(node), masters: this.masterInputs };
    return stepOf(action, {
      id: `${action.name}:${name}`,
      target: name,
      limits: [`host:${node.vnfc.resourceId}`],
      traits,
      input: { ...asking, ...input } as GivenInput<Input>,
    });
  }

  get drainTerms() {
    return drainTerms(this.hook);
  }

  /** A node, as steps take it. Its name is the inventory's, and the cluster's. */
  node(node: ClusterNode): GivenInput<NodeInput> {
    const { role, address } = node;
    return { ...this.#machine(node), name: nodeName(node), role, address };
  }

  get masterInputs(): GivenInput<MasterInput>[] {
    return this.masters.map((node) => ({ ...this.#machine(node), name: nodeName(node), address: node.address }));
  }

  get #cluster() {
    return {
      instance: this.hook.vnfInstanceId,
      cluster: common(this.#common, ({ cluster }) => cluster),
    };
  }

  #machine(node: ClusterNode) {
    return loginTo(this.hook, node.role === 'master' ? 'master_node' : 'worker_node', node);
  }
}

/** As the check of the request has them. */
const withNics = ({ master_node: master, worker_node: worker, ...others }: KubesprayParams): KubesprayParams => ({
  ...others,
  master_node: { ...master, nic_cp_name: master.nic_cp_name ?? master.ssh_cp_name },
  worker_node: { ...worker, nic_cp_name: worker.nic_cp_name ?? worker.ssh_cp_name },
});
