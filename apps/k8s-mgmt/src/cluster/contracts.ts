import type { PackageFileRef } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { NetworkImages } from '../settings/images.js';
import type { NodePackages, PackageSources } from './node-packages.js';
import type { NetworkChoice } from '../settings/network-choice.js';
import type { Nameless } from './node-names.js';
import type { ClusterStepInput, KubernetesInput, NamedNode, NodeInput, NodeStepInput, RuntimeInput } from './node-input.js';

// What the actions of this service take and give. The work is in the file `<name>.action.ts` below this folder, or in `node`, `network` and `packaged-script`.

/** The service whose workers run this driver's actions. */
export const K8S_SERVICE = 'k8s-mgmt';

export interface InstallKubernetesInput extends NodeStepInput {
  kubernetes: KubernetesInput;
}

/** The step's own node is one of them. */
export interface InspectNodesInput extends NodeStepInput {
  /** Those that are to become nodes. */
  nodes: NodeInput[];
  /** Milliseconds. */
  clockDifferenceMs: number;
}

export interface InstallRuntimeInput extends NodeStepInput {
  /** Plans of earlier releases have none: the distribution's containerd, for Kubernetes 1.34. */
  runtime?: RuntimeInput;
}

export interface VerifyClusterInput extends ClusterStepInput {
  /** What a pod on each node runs; `none`: no pod is run, and the operation says so. Plans of earlier releases have none: nobody asked for pods. */
  image?: string;
  /** Addresses of the nodes that must be Ready; those of the others that are not are noted. All must be, unless given. */
  about?: string[];
  /** The cluster's network add-on; flannel, as in plans of earlier releases, unless given. */
  network?: NetworkChoice['addon'];
  /** Kubernetes that those nodes must run, such as `1.34.1`. Whatever they run is right where a script of the package chose it; plans of earlier releases have none. */
  version?: string;
}

export interface VerifyClusterOutput {
  nodes: string[];
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

export interface NameNodesInput extends ClusterStepInput {
  /** All of the cluster as it is to be, in the plan's order; `earlier` is the address by which the cluster knows a node that has another one by now. */
  nodes: (Nameless & { earlier?: string })[];
}

export interface NameNodesOutput {
  /** In the same order. */
  nodes: NamedNode[];
}

export interface ReadClusterVersionInput extends ClusterStepInput {
  sources: PackageSources;
}

/** What a node that comes has to have, and what a person should know of it. */
export type ReadClusterVersionOutput = NodePackages & Noted;

export interface InstallNetworkInput extends ClusterStepInput {
  /** Plans of earlier releases have none: those of its makers. */
  images?: NetworkImages;
}

export interface InitControlPlaneInput extends InstallKubernetesInput {
  /** Where kubeadm has images of; where its own default is, unless given. */
  imageRepository?: string;
}

export interface JoinWorkerInput extends NodeStepInput {
  /** Undone, its VM goes as a whole: nothing is to be cleared away on it, and it need not answer. */
  goesWithVm?: boolean;
}

/** A node that leaves, known by its address: it may be called anything, and it need not answer. */
export type LeavingNodeInput = NodeStepInput;

export interface DrainNodeInput extends LeavingNodeInput {
  withinMs: number;
  /** What does not go in that time goes with the node; otherwise the step fails and names it. */
  force: boolean;
  /** What a retry has given in place of these two. Absent in journals of older releases. */
  retried?: { drain_timeout_seconds?: number; drain_force?: boolean };
}

/** What a person should know of it: the operation's warnings, by the trait `contributes`. */
export interface Noted {
  notes?: string[];
}

export interface UpdatePeersInput extends NodeStepInput {
  /** What undoing brings back: the nodes as they were. */
  before?: NamedNode[];
  /** The same of `noProxy`; unless given, the nodes' addresses in it are exchanged. */
  noProxyBefore?: string;
}

/** What those are told that join. */
export interface JoinFacts {
  token: string;
  /** Of the CA's public key, without `sha256:`, or as the script printed it. */
  caHash: string;
}

export interface RunInstallScriptInput extends NodeStepInput {
  script: PackageFileRef;
  withinMs: number;
  /** What the first master's script printed for workers. Workers without it get a token of their own. */
  join?: JoinFacts;
  /** The node is a further master: it joins those of `masters`, by a token and a certificate key of its own. */
  joinsMasters?: boolean;
  /** How long the cluster may take to list the node, in ms, when the script has ended. Plans of earlier releases have none. */
  listedWithinMs?: number;
  /** Registries that are reached by HTTP, `host:port`. None unless given. */
  httpRegistries?: string[];
  /** Undone, its VM goes as a whole: nothing is to be cleared away on it, and it need not answer. */
  goesWithVm?: boolean;
}

/** What a master's script says of its cluster. */
export interface MasterOutput {
  /** URL of the API server, as it is reached inside. */
  server: string;
  join: JoinFacts;
}

/** How the cluster is administered from outside. A secret as a whole. */
export interface AdminAccount {
  bearerToken: string;
  /** PEM. */
  caCertificate: string;
}

export interface RegisterVimInput {
  vimId: string;
  connectionId: string;
  name: string;
  description: string;
  authUrl: string;
  account: AdminAccount;
}

/** What the instance is to have of it, by the trait `contributes`. */
export interface RegisterVimOutput {
  instance: {
    vimConnectionInfo: {
      add: {
        id: string;
        vimId: string;
        vimType: 'kubernetes';
        accessInfo: { authUrl: string };
        extra: Record<string, never>;
      }[];
    };
  };
}

export interface VimIdInput {
  vimId: string;
}

const declared = (name: string) => ({ service: K8S_SERVICE, name, version: 1 });

/** Looks whether the nodes can become a cluster, before anything is changed on them. */
export const inspectNodes = defineAction<InspectNodesInput>(declared('inspect-nodes'));

/** Makes a fresh VM fit for Kubernetes: its name, those of its peers, no swap, modules, settings, apt's proxies. */
export const prepareNode = defineAction<NodeStepInput>(declared('prepare-node'));

export interface RevokeJoinTokensInput extends ClusterStepInput {
  /** Whoever made them: a script has just made the cluster, and its tokens say nothing of whose they are. None but Windlass's unless given. */
  every?: boolean;
}

/** Installs containerd, set up for kubeadm. */
export const installRuntime = defineAction<InstallRuntimeInput>(declared('install-runtime'));

/** Installs kubelet, kubeadm and kubectl of the plan's version, and keeps apt from replacing them. */
export const installKubernetes = defineAction<InstallKubernetesInput>(declared('install-kubernetes'));

/** Makes the first control plane, and a kubeconfig for the user. */
export const initControlPlane = defineAction<InitControlPlaneInput>(declared('init-control-plane'));

/** Gives the cluster its pod network. */
export const installNetwork = defineAction<InstallNetworkInput>(declared('install-network'));

/** Makes a node a worker of the cluster. */
export const joinWorker = defineAction<JoinWorkerInput>(declared('join-worker'));

/** Waits until every node is Ready, and has a pod on each reach the others and a name. */
export const verifyCluster = defineAction<VerifyClusterInput, VerifyClusterOutput>(declared('verify-cluster'));

/** Takes away what {@link verifyCluster} ran. */
export const removeProbes = defineAction<ClusterStepInput>(declared('remove-probes'));

/** Takes back what a node could still join with by what Windlass, or its script, made, when all have joined. */
export const revokeJoinTokens = defineAction<RevokeJoinTokensInput>(declared('revoke-join-tokens'));

/** Makes the account that the VIM is registered with. */
export const createAdminAccount = defineAction<ClusterStepInput, { account: AdminAccount }>(declared('create-admin-account'));

/** Asks the cluster what its nodes are called, and names those that come. */
export const nameNodes = defineAction<NameNodesInput, NameNodesOutput>(declared('name-nodes'));

/** Asks the cluster which Kubernetes it runs, before a node comes to it. */
export const readClusterVersion = defineAction<ReadClusterVersionInput, ReadClusterVersionOutput>(
  declared('read-cluster-version'),
);

/** Lets no more pods come to a node that is going to leave. */
export const cordonNode = defineAction<LeavingNodeInput>(declared('cordon-node'));

/** Moves the pods of a node away. */
export const drainNode = defineAction<DrainNodeInput, Noted | undefined>(declared('drain-node'));

/** Takes a node out of the cluster. */
export const removeNode = defineAction<LeavingNodeInput>(declared('remove-node'));

/** Tells a node that stays who its peers are by now. */
export const updatePeers = defineAction<UpdatePeersInput, Noted | undefined>(declared('update-peers'));

/** Says of a worker where its VM stands: on which compute host, in which zone. */
export const labelNode = defineAction<NodeStepInput, Noted | undefined>(declared('label-node'));

/** Runs the package's install script on a node. A worker's gives nothing. */
export const runInstallScript = defineAction<RunInstallScriptInput, MasterOutput | undefined>(declared('run-install-script'));

/** Registers the cluster as a VIM, and enters it in the instance's `vimConnectionInfo`. */
export const registerVim = defineAction<RegisterVimInput, RegisterVimOutput>(declared('register-vim'));

/** Fails while something uses the cluster as its VIM. */
export const checkVimUnused = defineAction<VimIdInput>(declared('check-vim-unused'));

/** Takes the cluster out of the registry and of the instance. */
export const deregisterVim = defineAction<VimIdInput, { instance: { vimConnectionInfo: { removeVimIds: string[] } } }>(
  declared('deregister-vim'),
);
