import { machineReference } from '@windlass/driver-kit';
import type { Json, JsonObject } from '@windlass/foundation';
import { SOURCES, type HookContext } from '@windlass/mgmt-driver';
import { common, sourced, type StepNode } from '@windlass/saga';
import type { K8sMgmtSettings } from '../settings.js';
import type { ClusterNode, ClusterShape } from './nodes.js';
import { noProxy } from './no-proxy.js';
import { clusterParams, PARAM } from './parameters.js';

/** The service whose workers run this driver's actions. */
export const K8S_SERVICE = 'k8s-mgmt';

/** A step on one node, or on none. */
export interface StepSpec {
  action: string;
  version?: number;
  node: ClusterNode;
  /** Through which the cluster is asked and told. */
  master?: ClusterNode;
  more?: JsonObject;
  traits?: StepNode['traits'];
}

/** Makes the steps of one cluster; what they share stands once in the plan. */
export class ClusterSteps {
  readonly common: JsonObject;

  constructor(
    private readonly hook: HookContext,
    readonly shape: ClusterShape,
    settings: K8sMgmtSettings,
  ) {
    const { master, workers, address, publicAddress, podCidr, serviceCidr } = shape;
    const nodes = [master, ...workers].map(({ name, role, address: of }) => ({ name, role, address: of }));
    this.common = {
      instance: hook.vnfInstanceId,
      kubernetes: { version: settings.kubernetesVersion, aptUrl: settings.kubernetesAptUrl ?? null },
      cluster: {
        address,
        publicAddress,
        podCidr,
        serviceCidr,
        nodes,
        noProxy: noProxy(clusterParams(hook.instantiateParams), shape),
      } as Json,
    };
  }

  step({ action, version = 1, node, master, more = {}, traits }: StepSpec): StepNode {
    return {
      kind: 'step',
      id: `${action}:${node.name}`,
      action,
      version,
      service: K8S_SERVICE,
      target: node.name,
      limits: [`host:${node.vnfc.resourceId}`],
      ...(traits === undefined ? {} : { traits }),
      input: {
        instance: common('/instance'),
        cluster: common('/cluster'),
        node: this.#nodeInput(node),
        ...(master === undefined ? {} : { master: this.#nodeInput(master) }),
        ...more,
      },
    };
  }

  /** Points at the proxies where the request has any: the user part of their URLs is a secret. */
  get proxy(): JsonObject {
    const has = clusterParams(this.hook.instantiateParams).proxy !== undefined;
    return { proxy: has ? sourced(SOURCES.instantiateParams, `/${PARAM}/proxy`) : {} };
  }

  get kubernetes(): JsonObject {
    return { kubernetes: common('/kubernetes') };
  }

  /** Address and credentials are put in when the step is claimed. */
  #nodeInput({ name, role, address, vnfc, sshCp }: ClusterNode): JsonObject {
    return { ...machineReference(name, vnfc.id, sshCp, `/${PARAM}/${role}_node`), role, address };
  }
}
