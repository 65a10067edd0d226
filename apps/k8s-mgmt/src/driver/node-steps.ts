import { machineReference, paramsSource } from '@windlass/driver-kit';
import { toJsonObject, type JsonObject } from '@windlass/foundation';
import type { HookContext } from '@windlass/mgmt-driver';
import {
  common,
  sourced,
  stepOf,
  type ActionContract,
  type GivenInput,
  type PlanNode,
  type Step,
  type StepTraits,
} from '@windlass/saga';
import { inspectNodes, type InstallKubernetesInput, type InstallRuntimeInput } from '../actions/contracts.js';
import type { ClusterInput, KubernetesInput, NodeInput, NodeStepInput, RuntimeInput } from '../node/node-input.js';
import { minorFacts } from '../cluster/kubernetes-versions.js';
import type { K8sMgmtSettings } from '../settings.js';
import type { ClusterNode, ClusterShape } from './nodes.js';
import { noProxy } from './no-proxy.js';
import { clusterParams, type SecretParams } from './parameters.js';

const PARAMS = paramsSource<SecretParams>();

/** What the steps of a cluster share. */
interface ClusterCommon {
  instance: string;
  kubernetes: KubernetesInput;
  runtime: RuntimeInput;
  cluster: ClusterInput;
}

/** Makes the steps of one cluster; what they share stands once in the plan. */
export class ClusterSteps {
  readonly #common: ClusterCommon;

  constructor(
    private readonly hook: HookContext,
    readonly shape: ClusterShape,
    private readonly settings: K8sMgmtSettings,
  ) {
    const { master, workers, address, publicAddress, podCidr, nodePrefix, serviceCidr } = shape;
    const nodes = [master, ...workers].map(({ name, role, address: of }) => ({ name, role, address: of }));
    const { pauseImage, leastContainerd } = minorFacts(settings.kubernetesVersion);
    this.#common = {
      instance: hook.vnfInstanceId,
      kubernetes: {
        version: settings.kubernetesVersion,
        aptUrl: settings.kubernetesAptUrl ?? null,
        fingerprint: settings.kubernetesFingerprint,
      },
      runtime: { pauseImage, leastContainerd, package: settings.containerdPackage, source: settings.containerdSource ?? null },
      cluster: {
        address,
        publicAddress,
        podCidr,
        nodePrefix,
        serviceCidr,
        nodes,
        noProxy: noProxy(clusterParams(hook.instantiateParams), shape),
      },
    };
  }

  /** The plan's common part. */
  get common(): JsonObject {
    return toJsonObject(this.#common);
  }

  /** A step on one node. */
  step<Input, Output>(
    action: ActionContract<Input, Output>,
    node: ClusterNode,
    input: GivenInput<NoInfer<Input>>,
    traits: StepTraits,
  ): Step<Output> {
    const limits = [`host:${node.vnfc.resourceId}`];
    return stepOf(action, { id: nodeStepId(action, node), target: node.name, limits, traits, input });
  }

  /** The look at all nodes, through none of them; it may run beside nothing on any. */
  inspection(traits: StepTraits): PlanNode {
    const { master, workers } = this.shape;
    const nodes = [master, ...workers];
    return stepOf(inspectNodes, {
      id: inspectNodes.name,
      target: `${nodes.length} nodes`,
      limits: nodes.map(({ vnfc }) => `host:${vnfc.resourceId}`),
      traits,
      input: {
        ...this.on(master),
        ...this.first,
        nodes: nodes.map((node) => this.#node(node)),
        clockDifferenceMs: this.settings.clockDifference,
      },
    });
  }

  /** What every step on a node takes; through the master, where one is given, the cluster is asked and told. */
  on(node: ClusterNode, master?: ClusterNode): GivenInput<NodeStepInput> {
    return {
      instance: common(this.#common, ({ instance }) => instance),
      cluster: common(this.#common, ({ cluster }) => cluster),
      node: this.#node(node),
      ...(master === undefined ? {} : { master: this.#node(master) }),
    };
  }

  /** Points at the proxies where the request has any: the user part of their URLs is a secret. */
  get proxy(): Pick<GivenInput<NodeStepInput>, 'proxy'> {
    const has = clusterParams(this.hook.instantiateParams).proxy !== undefined;
    return { proxy: has ? sourced(PARAMS, ({ k8s_cluster_installation_param: of }) => of.proxy) : {} };
  }

  get runtime(): Pick<GivenInput<InstallRuntimeInput>, 'runtime'> {
    return { runtime: common(this.#common, ({ runtime }) => runtime) };
  }

  /** For the first step on a node, whose machine may still be setting itself up. */
  get first(): Pick<GivenInput<NodeStepInput>, 'firstBootWithinMs'> {
    return { firstBootWithinMs: this.settings.firstBootWithin };
  }

  get kubernetes(): Pick<GivenInput<InstallKubernetesInput>, 'kubernetes'> {
    return { kubernetes: common(this.#common, ({ kubernetes }) => kubernetes) };
  }

  /** Address and credentials are put in when the step is claimed. */
  #node({ name, role, address, vnfc, sshCp }: ClusterNode): GivenInput<NodeInput> {
    const params = clusterParams(this.hook.instantiateParams);
    return {
      ...machineReference({
        name,
        vnfcId: vnfc.id,
        sshCp,
        params: PARAMS,
        login: ({ k8s_cluster_installation_param: of }) => (role === 'master' ? of.master_node : of.worker_node),
        shown: role === 'master' ? params.master_node : params.worker_node,
      }),
      role,
      address,
    };
  }
}

/** The id of the step that does an action on a node. */
export const nodeStepId = ({ name }: Pick<ActionContract, 'name'>, node: ClusterNode): string => `${name}:${node.name}`;
