import type { Schema } from './schema.js';

const strings: Schema = { list: 'string' };
const stringMap: Schema = { map: 'string' };
const taint: Schema = { fields: { key: 'string', value: 'string', effect: 'string', timeAdded: 'string' } };
const output: Schema = { fields: { splitStream: 'bool', infoBufferSize: 'any' } };

const logging: Schema = {
  fields: {
    format: 'string',
    flushFrequency: 'any',
    verbosity: 'int',
    vmodule: { list: 'any' },
    options: { fields: { text: output, json: output } },
  },
};

const authentication: Schema = {
  fields: {
    x509: { fields: { clientCAFile: 'string' } },
    webhook: { fields: { enabled: 'bool', cacheTTL: 'duration' } },
    anonymous: { fields: { enabled: 'bool' } },
  },
};

const authorization: Schema = {
  fields: { mode: 'string', webhook: { fields: { cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' } } },
};

/** Fields of `KubeletConfiguration` by their type. https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/ */
const KUBELET_BY_TYPE = {
  string: `apiVersion kind staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile tlsMinVersion
    imagePullCredentialsVerificationPolicy healthzBindAddress clusterDomain kubeletCgroups systemCgroups cgroupRoot cgroupDriver
    cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy topologyManagerScope hairpinMode podCIDR resolvConf contentType
    containerLogMaxSize configMapAndSecretChangeDetectionStrategy reservedSystemCPUs showHiddenMetricsForVersion systemReservedCgroup
    kubeReservedCgroup volumePluginDir providerID containerRuntimeEndpoint imageServiceEndpoint`,
  bool: `enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers enableContentionProfiling cgroupsPerQOS
    singleProcessOOMKill runOnce cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings enableControllerAttachDetach
    protectKernelDefaults makeIPTablesUtilChains failSwapOn kernelMemcgNotification enableSystemLogHandler enableSystemLogQuery
    enableProfilingHandler enableDebugFlagsHandler seccompDefault registerNode localStorageCapacityIsolation failCgroupV1`,
  int: `port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort oomScoreAdj nodeLeaseDurationSeconds
    imageGCHighThresholdPercent imageGCLowThresholdPercent maxPods podPidsLimit nodeStatusMaxImages maxOpenFiles kubeAPIQPS
    kubeAPIBurst maxParallelImagePulls evictionMaxPodGracePeriod podsPerCore iptablesMasqueradeBit iptablesDropBit
    containerLogMaxFiles containerLogMaxWorkers`,
  duration: `syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout nodeStatusUpdateFrequency
    nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge volumeStatsAggPeriod cpuManagerReconcilePeriod
    runtimeRequestTimeout cpuCFSQuotaPeriod evictionPressureTransitionPeriod containerLogMonitorInterval shutdownGracePeriod
    shutdownGracePeriodCriticalPods`,
} as const;

const named = (): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(KUBELET_BY_TYPE).flatMap(([type, names]) => names.split(/\s+/).map((name) => [name, type as Schema] as const)),
  );

export const KUBELET_CONFIGURATION: Schema = {
  fields: {
    ...named(),
    memoryThrottlingFactor: 'number',
    staticPodURLHeader: { map: strings },
    tlsCipherSuites: strings,
    preloadedImagesVerificationAllowlist: strings,
    authentication,
    authorization,
    clusterDNS: strings,
    cpuManagerPolicyOptions: stringMap,
    topologyManagerPolicyOptions: stringMap,
    qosReserved: stringMap,
    evictionHard: stringMap,
    evictionSoft: stringMap,
    evictionSoftGracePeriod: stringMap,
    evictionMinimumReclaim: stringMap,
    featureGates: { map: 'bool' },
    memorySwap: { fields: { swapBehavior: 'string' } },
    systemReserved: stringMap,
    kubeReserved: stringMap,
    enforceNodeAllocatable: strings,
    allowedUnsafeSysctls: strings,
    logging,
    shutdownGracePeriodByPodPriority: { list: { fields: { priority: 'int', shutdownGracePeriodSeconds: 'int' } } },
    crashLoopBackOff: { fields: { maxContainerRestartPeriod: 'duration' } },
    reservedMemory: { list: { fields: { numaNode: 'int', limits: stringMap } } },
    registerWithTaints: { list: taint },
    tracing: { fields: { endpoint: 'string', samplingRatePerMillion: 'int' } },
    userNamespaces: { fields: { idsPerPod: 'int' } },
  },
};

/** https://kubernetes.io/docs/reference/config-api/kube-proxy-config.v1alpha1/ */
export const KUBE_PROXY_CONFIGURATION: Schema = {
  fields: {
    apiVersion: 'string',
    kind: 'string',
    featureGates: { map: 'bool' },
    clientConnection: {
      fields: { kubeconfig: 'string', acceptContentTypes: 'string', contentType: 'string', qps: 'number', burst: 'int' },
    },
    logging,
    hostnameOverride: 'string',
    bindAddress: 'string',
    healthzBindAddress: 'string',
    metricsBindAddress: 'string',
    bindAddressHardFail: 'bool',
    enableProfiling: 'bool',
    showHiddenMetricsForVersion: 'string',
    mode: 'string',
    iptables: {
      fields: {
        masqueradeBit: 'int',
        masqueradeAll: 'bool',
        localhostNodePorts: 'bool',
        syncPeriod: 'duration',
        minSyncPeriod: 'duration',
      },
    },
    ipvs: {
      fields: {
        syncPeriod: 'duration',
        minSyncPeriod: 'duration',
        scheduler: 'string',
        excludeCIDRs: strings,
        strictARP: 'bool',
        tcpTimeout: 'duration',
        tcpFinTimeout: 'duration',
        udpTimeout: 'duration',
      },
    },
    nftables: { fields: { masqueradeBit: 'int', masqueradeAll: 'bool', syncPeriod: 'duration', minSyncPeriod: 'duration' } },
    detectLocalMode: 'string',
    detectLocal: { fields: { bridgeInterface: 'string', interfaceNamePrefix: 'string' } },
    clusterCIDR: 'string',
    nodePortAddresses: strings,
    oomScoreAdj: 'int',
    conntrack: {
      fields: {
        maxPerCore: 'int',
        min: 'int',
        tcpEstablishedTimeout: 'duration',
        tcpCloseWaitTimeout: 'duration',
        tcpBeLiberal: 'bool',
        udpTimeout: 'duration',
        udpStreamTimeout: 'duration',
      },
    },
    configSyncPeriod: 'duration',
    portRange: 'string',
  },
};
