import type { KubeObject, ObjectMeta } from './object.js';
import type { LabelSelector } from './selectors.js';

/** The kinds that the stand-ins' own controllers read and write, with the members they use. Everything else is plain JSON to them. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
}

export interface Taint {
  key: string;
  value?: string;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface KubeNode extends KubeObject {
  spec?: { podCIDR?: string; podCIDRs?: string[]; unschedulable?: boolean; taints?: Taint[]; providerID?: string };
  status?: {
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    daemonEndpoints?: { kubeletEndpoint: { Port: number } };
  };
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string }[];
  ports?: { name?: string; containerPort: number; hostPort?: number; protocol?: string }[];
  imagePullPolicy?: string;
}

export interface Volume {
  name: string;
  hostPath?: { path: string; type?: string };
  configMap?: { name: string };
  secret?: { secretName: string };
  persistentVolumeClaim?: { claimName: string };
  emptyDir?: Record<string, string>;
}

export interface NodeSelectorRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values?: string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  topologyKey: string;
  namespaces?: string[];
}

export interface PodSpec {
  nodeName?: string;
  hostNetwork?: boolean;
  schedulerName?: string;
  serviceAccountName?: string;
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  terminationGracePeriodSeconds?: number;
  restartPolicy?: string;
  priorityClassName?: string;
  affinity?: {
    nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] } };
    podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] };
    podAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] };
  };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  restartCount: number;
  started?: boolean;
  containerID?: string;
  state: {
    running?: { startedAt: string };
    waiting?: { reason: string; message?: string };
    terminated?: { exitCode: number; reason?: string };
  };
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: {
    phase?: string;
    conditions?: Condition[];
    podIP?: string;
    podIPs?: { ip: string }[];
    hostIP?: string;
    startTime?: string;
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
    reason?: string;
    message?: string;
    qosClass?: string;
  };
}

export interface PodTemplate {
  metadata?: Partial<ObjectMeta>;
  spec: PodSpec;
}

export interface DaemonSet extends KubeObject {
  spec: { selector: LabelSelector; template: PodTemplate; updateStrategy?: { type: string } };
  status?: Record<string, number>;
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplate };
  status?: Record<string, number>;
}

export interface Deployment extends KubeObject {
  spec: { replicas?: number; selector: LabelSelector; template: PodTemplate; strategy?: { type: string } };
  status?: Record<string, number | Condition[]>;
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface Secret extends KubeObject {
  type?: string;
  /** Values in base64. */
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export interface ServiceAccount extends KubeObject {
  secrets?: { name: string }[];
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string };
}

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
}

export interface PersistentVolume extends KubeObject {
  spec: {
    capacity?: Record<string, string>;
    accessModes?: string[];
    claimRef?: ObjectReference;
    storageClassName?: string;
    persistentVolumeReclaimPolicy?: string;
    volumeMode?: string;
  };
  status?: { phase?: string; message?: string };
}

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: Record<string, string> };
    volumeName?: string;
    storageClassName?: string;
    selector?: LabelSelector;
    volumeMode?: string;
  };
  status?: { phase?: string; accessModes?: string[]; capacity?: Record<string, string> };
}

export interface Subject {
  kind: 'User' | 'Group' | 'ServiceAccount';
  name: string;
  namespace?: string;
  apiGroup?: string;
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

export interface RoleBinding extends KubeObject {
  subjects?: Subject[] | null;
  roleRef: { apiGroup: string; kind: string; name: string };
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: { minAvailable?: number | string; maxUnavailable?: number | string; selector?: LabelSelector };
  status?: Record<string, number>;
}

export interface CertificateSigningRequest extends KubeObject {
  spec: {
    /** PEM in base64. */
    request: string;
    signerName: string;
    usages?: string[];
    username?: string;
    groups?: string[];
    expirationSeconds?: number;
  };
  status?: { conditions?: (Condition & { lastUpdateTime?: string })[]; certificate?: string };
}

export interface Service extends KubeObject {
  spec: {
    type?: string;
    clusterIP?: string;
    clusterIPs?: string[];
    selector?: Record<string, string>;
    ports?: { name?: string; port: number; targetPort?: number | string; nodePort?: number; protocol?: string }[];
  };
}

/** The condition of that type, of a node or a pod. */
export const conditionOf = (object: { status?: { conditions?: Condition[] } }, type: string): Condition | undefined =>
  object.status?.conditions?.find((condition) => condition.type === type);

export const isReady = (object: { status?: { conditions?: Condition[] } }): boolean =>
  conditionOf(object, 'Ready')?.status === 'True';
