import { type MachineStepInput, type MasterInput } from '@windlass/driver-kit';
import { toJsonObject, type JsonObject } from '@windlass/foundation';
import type { HookContext, Vnfc } from '@windlass/mgmt-driver';
import {
  common,
  outputOf,
  stepCalled,
  stepOf,
  type ActionContract,
  type Given,
  type GivenInput,
  type PathTo,
  type Step,
  type StepTraits,
} from '@windlass/saga';
import type { ClusterInput, ClusterStepInput, NamedNode, NodeInput, NodeStepInput } from '../../cluster/node-input.js';
import { namedNodes } from '../../cluster/node-names.js';
import { nodePackages, type NodePackages } from '../../cluster/node-packages.js';
import { nameNodes, type NameNodesOutput } from '../../cluster/nodes/name-nodes.action.js';
import { readClusterVersion } from '../../cluster/nodes/read-cluster-version.action.js';
import { loginTo } from '../../cluster/request/logins.js';
import { nodesOf, type ClusterNode, type ClusterShape } from '../../cluster/request/nodes.js';
import type { K8sMgmtSettings } from '../../settings/settings.js';
import { fetchSnapshot, type FetchSnapshotOutput } from '../../snapshots/fetch-snapshot.action.js';
import { withRequestedRegistries } from '../parameters/registries.js';
import { noProxy } from './no-proxy.js';
import { imagesOf, NodeTerms, sourcesOf } from './node-terms.js';

/** What the steps of a cluster share. */
interface ClusterCommon extends Partial<NodePackages> {
  instance: string;
  cluster: ClusterInput;
}

/**
 * Where the plan takes the nodes' names and versions from.
 * - `made`: the plan makes the cluster and decides them.
 * - `looked-up`: steps (`name-nodes`, `read-cluster-version`) ask the running cluster, and other steps point at their outputs.
 * - `kept`: a snapshot of the cluster tells them (`fetch-snapshot`).
 */
export type Naming = 'made' | 'looked-up' | 'kept';

/** Makes the steps of one cluster; what they share stands once in the plan. */
export class ClusterSteps {
  /** What is installed on nodes, and through which proxies. */
  readonly terms: NodeTerms;
  readonly #common: ClusterCommon;
  readonly #nodes: readonly ClusterNode[];

  constructor(
    readonly hook: HookContext,
    readonly shape: ClusterShape,
    readonly settings: K8sMgmtSettings,
    private readonly naming: Naming = 'made',
    /** Nodes of the shape that leave. They are named, but the other nodes are not told of them. */
    private readonly leaving: readonly ClusterNode[] = [],
    /** The addresses by which the cluster still knows nodes, by their VNFCs. */
    private readonly earlier: ReadonlyMap<string, string> = new Map(),
  ) {
    const { endpoint, masters, workers, vip: _, ...told } = shape;
    this.#nodes = nodesOf(shape);
    this.terms = new NodeTerms(hook, settings, (select) => this.#packages(select));
    const without = (nodes: ClusterNode[]) => nodes.filter((node) => !this.#leaves(node));
    this.#common = {
      instance: hook.vnfInstanceId,
      // A running cluster tells its own version: see `read-cluster-version`.
      ...(naming === 'made'
        ? nodePackages(settings.kubernetesVersion, imagesOf(hook, settings).repository, sourcesOf(settings))
        : {}),
      cluster: {
        ...endpoint,
        ...told,
        nodes: naming === 'made' ? namedNodes(this.#nodes.map(({ role, address }) => ({ role, address }))) : [],
        noProxy: noProxy(withRequestedRegistries(hook), {
          ...shape,
          workers: without(workers),
          masters: without(masters),
        }),
      },
    };
  }

  /** The plan's common part. */
  get common(): JsonObject {
    return toJsonObject(this.#common);
  }

  /** The cluster as the plan's common part has it: with names where the plan makes it. */
  get planned(): Given<ClusterInput> {
    return common(this.#common, ({ cluster }) => cluster);
  }

  /** A step on one node. */
  step<Input, Output>(
    action: ActionContract<Input, Output>,
    node: ClusterNode,
    input: GivenInput<NoInfer<Input>>,
    traits: StepTraits = {},
  ): Step<Output> {
    const limits = [`host:${node.vnfc.resourceId}`];
    const target = this.#madeName(node) ?? `${node.role} ${node.address}`;
    return stepOf(action, { id: this.stepId(action, node), target, limits, traits, input });
  }

  /** The id of the step that does an action on a node. */
  stepId({ name }: Pick<ActionContract, 'name'>, node: ClusterNode): string {
    return `${name}:${this.#madeName(node) ?? node.address}`;
  }

  /** A step on the cluster as a whole, through any of its masters. */
  onCluster<Input extends ClusterStepInput, Output>(
    action: ActionContract<Input, Output>,
    input: GivenInput<Omit<NoInfer<Input>, keyof ClusterStepInput>>,
    traits: StepTraits = {},
    masters: readonly ClusterNode[] = this.shape.masters,
    id: string = action.name,
  ): Step<Output> {
    const { address } = this.shape.endpoint;
    return stepOf(action, {
      id,
      target: address,
      traits,
      input: { ...this.asking(masters), ...input } as GivenInput<Input>,
    });
  }

  /** Asks the cluster what its nodes are called, and names those that come. */
  names(masters: readonly ClusterNode[], traits: StepTraits = { undoable: false }): Step {
    const nodes = this.#nodes.map(({ role, address, vnfc }) => {
      const earlier = this.earlier.get(vnfc.id);
      return { role, address, ...(earlier === undefined || earlier === address ? {} : { earlier }) };
    });
    return stepOf(nameNodes, {
      target: this.shape.endpoint.address,
      traits,
      // Without the nodes' names, which this step finds out.
      input: { ...this.asking(masters), cluster: this.planned, nodes },
    });
  }

  /** Brings the snapshot to the machine that becomes the only master again, and reads from it what the cluster was. */
  fetchesSnapshot(node: ClusterNode, sha256: string | undefined): Step<FetchSnapshotOutput> {
    const limits = [`host:${node.vnfc.resourceId}`];
    const { role, address } = node;
    return stepOf(fetchSnapshot, {
      target: `${role} ${address}`,
      limits,
      traits: { undoable: false, contributes: true },
      input: {
        instance: this.instance,
        cluster: this.planned,
        // Without the node's name, which the snapshot tells.
        node: { ...this.#machine(node, address), role, address },
        ...this.terms.first,
        nodes: this.#nodes.map((each) => ({ role: each.role, address: each.address })),
        sources: sourcesOf(this.settings),
        ...(sha256 === undefined ? {} : { sha256 }),
      },
    });
  }

  /** The input that all steps on a node share; with `masters`, that of a step which also asks the cluster. */
  on(node: ClusterNode, masters?: readonly ClusterNode[]): GivenInput<NodeStepInput> {
    return { ...this.#cluster, node: this.node(node), ...(masters === undefined ? {} : this.asking(masters)) };
  }

  /** The input that all steps share which ask the cluster, or change it. */
  asking(masters: readonly ClusterNode[]): Pick<GivenInput<ClusterStepInput>, 'instance' | 'cluster' | 'masters'> {
    return { ...this.#cluster, masters: this.masters(masters) };
  }

  /** Masters, as steps that ask them take them. */
  masters(masters: readonly ClusterNode[]): GivenInput<MasterInput>[] {
    return masters.map((master) => this.#master(master));
  }

  get #cluster(): Pick<GivenInput<ClusterStepInput>, 'instance' | 'cluster'> {
    return { instance: this.instance, cluster: this.#clusterInput };
  }

  get #clusterInput(): Given<ClusterInput> {
    if (this.naming === 'made') return this.planned;
    // The nodes' names come from the cluster; everything else stands in the plan.
    const { nodes: _, ...told } = this.#common.cluster;
    const at = Object.keys(told).map((name) => [name, common(`/cluster/${name}`)]);
    return { ...(Object.fromEntries(at) as GivenInput<typeof told>), nodes: this.named(this.staying) };
  }

  get instance(): Given<string> {
    return common(this.#common, ({ instance }) => instance);
  }

  /** The input of another service's step that works on a node. */
  onMachine(node: ClusterNode): Pick<GivenInput<MachineStepInput>, 'instance' | 'machine'> {
    return { instance: this.instance, machine: this.#machine(node, this.nameOf(node)) };
  }

  /** The same on the storage server, which is no node. */
  onStorageServer(vnfc: Vnfc, sshCp: string): Pick<GivenInput<MachineStepInput>, 'instance' | 'machine'> {
    return { instance: this.instance, machine: loginTo(this.hook, 'storage_server', { vnfc, sshCp }) };
  }

  /** The packages of nodes: by the service's settings for a cluster that the plan makes, else as the cluster has them. */
  #packages<T>(select: (of: PathTo<NodePackages>) => PathTo<T>): Given<T> {
    return this.naming === 'made'
      ? common(this.#common as ClusterCommon & NodePackages, select)
      : outputOf(stepCalled(this.naming === 'kept' ? fetchSnapshot : readClusterVersion), select);
  }

  /** The nodes that stay. */
  get staying(): ClusterNode[] {
    return this.#nodes.filter((node) => !this.#leaves(node));
  }

  /** Nodes by the names that the cluster has for them. */
  named(nodes: readonly ClusterNode[]): Given<NamedNode>[] {
    return nodes.map((node) => this.#named(node));
  }

  #named(node: ClusterNode): Given<NamedNode> {
    return this.#called((named) => nodeAt(named, this.#at(node)));
  }

  #leaves({ address }: ClusterNode): boolean {
    return this.leaving.some((node) => node.address === address);
  }

  #at({ address }: ClusterNode): number {
    return this.#nodes.findIndex((node) => node.address === address);
  }

  /** A node's name, where this plan makes the cluster. */
  #madeName(node: ClusterNode): string | undefined {
    return this.#common.cluster.nodes.find(({ address }) => address === node.address)?.name;
  }

  /** A node, as steps take it. */
  node(node: ClusterNode): GivenInput<NodeInput> {
    const { role, address } = node;
    return { ...this.#machine(node, this.nameOf(node)), role, address };
  }

  /** A master in a step's input, named by its address: the node's own name plays no part, so that a renamed node is still the same machine. */
  #master(node: ClusterNode): GivenInput<MasterInput> {
    return { ...this.#machine(node, node.address), address: node.address };
  }

  /** A node's name in the cluster. */
  nameOf(node: ClusterNode): Given<string> {
    if (this.naming === 'made') return this.#madeName(node) ?? node.address;
    return this.#called((named) => nodeAt(named, this.#at(node)).name);
  }

  #called<T>(select: (of: PathTo<NameNodesOutput>) => PathTo<T>): Given<T> {
    return outputOf(stepCalled(this.naming === 'kept' ? fetchSnapshot : nameNodes), select);
  }

  /** Address and credentials are put in when the step is claimed. */
  #machine({ role, vnfc, sshCp }: ClusterNode, name: Given<string>) {
    return { ...loginTo(this.hook, role === 'master' ? 'master_node' : 'worker_node', { vnfc, sshCp }), name };
  }
}

/** An entry of the list: how long that is the compiler does not know. */
// eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- a place in what is not there yet: where nothing is, the step that points there fails
const nodeAt = ({ nodes }: PathTo<NameNodesOutput>, at: number): PathTo<NamedNode> => nodes[at]!;
