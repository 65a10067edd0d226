import { paramsSource, type InstallProxy } from '@windlass/driver-kit';
import type { HookContext } from '@windlass/mgmt-driver';
import { sourced, type Given, type GivenInput, type PathTo } from '@windlass/saga';
import type { InitControlPlaneInput } from '../../cluster/masters/init-control-plane.action.js';
import type { NodeStepInput } from '../../cluster/node-input.js';
import type { NodePackages, PackageSources } from '../../cluster/node-packages.js';
import { verificationImageOf } from '../../cluster/request/verification.js';
import type { InstallKubernetesInput } from '../../node/install-kubernetes.action.js';
import type { InstallRuntimeInput } from '../../node/install-runtime.action.js';
import type { RunInstallScriptInput } from '../../packaged-script/run-install-script.action.js';
import { clusterImages, type ClusterImages, type NetworkImages } from '../../settings/images.js';
import { INTERNET } from '../../settings/internet-defaults.js';
import type { K8sMgmtSettings } from '../../settings/settings.js';
import { clusterParams, httpRegistries, type SecretParams } from '../parameters/parameters.js';

const PARAMS = paramsSource<SecretParams>();

/** Where nodes get their packages, as the operator has decided it. */
export const sourcesOf = ({
  kubernetesAptUrl,
  kubernetesFingerprint: fingerprint,
  containerdPackage,
  containerdSource,
}: K8sMgmtSettings): PackageSources => ({
  aptUrl: kubernetesAptUrl ?? null,
  fingerprint,
  package: containerdPackage,
  source: containerdSource ?? null,
});

/** Where a cluster's images come of, by its parameters and the operator. */
export const imagesOf = ({ instantiateParams }: HookContext, settings: K8sMgmtSettings): ClusterImages =>
  clusterImages(settings, clusterParams(instantiateParams).image_repository);

/** Parts of steps' inputs: what is installed on nodes, and through which proxies. */
export class NodeTerms {
  /** @param packages selects a part of the nodes' packages, from where the plan knows it */
  constructor(
    private readonly hook: HookContext,
    private readonly settings: K8sMgmtSettings,
    private readonly packages: <T>(select: (of: PathTo<NodePackages>) => PathTo<T>) => Given<T>,
  ) {}

  /** The proxies for who installs packages by them, each where the request has it. */
  get installProxy(): { proxy?: GivenInput<InstallProxy> } {
    const { proxy } = clusterParams(this.hook.instantiateParams);
    if (proxy === undefined) return {};
    const given = (['http_proxy', 'https_proxy', 'no_proxy'] as const).filter((name) => proxy[name] !== undefined);
    const at = (name: (typeof given)[number]) => sourced(PARAMS, ({ k8s_cluster_installation_param: of }) => of.proxy[name]);
    return { proxy: Object.fromEntries(given.map((name) => [name, at(name)])) };
  }

  /** Points at the proxies where the request has any: the user part of their URLs is a secret. */
  get proxy(): Pick<GivenInput<NodeStepInput>, 'proxy'> {
    const has = clusterParams(this.hook.instantiateParams).proxy !== undefined;
    return { proxy: has ? sourced(PARAMS, ({ k8s_cluster_installation_param: of }) => of.proxy) : {} };
  }

  get runtime(): Pick<GivenInput<InstallRuntimeInput>, 'runtime'> {
    return { runtime: this.packages(({ runtime }) => runtime) };
  }

  /** For the first step on a node, whose machine may still be setting itself up. */
  get first(): Pick<GivenInput<NodeStepInput>, 'firstBootWithinMs'> {
    return { firstBootWithinMs: this.settings.firstBootWithin };
  }

  /** Of Kubernetes, for nodes that we install. */
  get version(): Given<string> {
    return this.packages(({ kubernetes }) => kubernetes.version);
  }

  /** Of kubeadm, where it is not its own default. */
  get imageRepository(): Pick<InitControlPlaneInput, 'imageRepository'> {
    const { repository: imageRepository } = imagesOf(this.hook, this.settings);
    return imageRepository === INTERNET.imageRepository.value ? {} : { imageRepository };
  }

  get networkImages(): NetworkImages {
    return { ...imagesOf(this.hook, this.settings).network };
  }

  /** Of images that a manifest names, where all come of one registry. */
  get otherRepository(): { imageRepository?: string } {
    const { image_repository: own = this.settings.imageRepository } = clusterParams(this.hook.instantiateParams);
    return own === undefined ? {} : { imageRepository: own };
  }

  /** The image of the pods with which a step verifies the cluster. */
  get verificationImage(): string {
    return verificationImageOf(this.hook, this.settings);
  }

  /** For the package's script. */
  get scriptTerms(): Pick<RunInstallScriptInput, 'withinMs' | 'listedWithinMs' | 'httpRegistries'> {
    const { scriptWithin: withinMs, listedWithin: listedWithinMs } = this.settings;
    return { withinMs, listedWithinMs, httpRegistries: httpRegistries(clusterParams(this.hook.instantiateParams)) };
  }

  get kubernetes(): Pick<GivenInput<InstallKubernetesInput>, 'kubernetes'> {
    return { kubernetes: this.packages(({ kubernetes }) => kubernetes) };
  }
}
