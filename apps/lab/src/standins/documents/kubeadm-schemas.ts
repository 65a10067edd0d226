import type { Schema } from './schema.js';

const strings: Schema = { list: 'string' };
const argMap: Schema = { map: 'string' };
const argList: Schema = { list: { fields: { name: 'string', value: 'string' } } };
const envs: Schema = { list: { fields: { name: 'string', value: 'string', valueFrom: 'any' } } };
const volumes: Schema = {
  list: { fields: { name: 'string', hostPath: 'string', mountPath: 'string', readOnly: 'bool', pathType: 'string' } },
};
const taints: Schema = { list: { fields: { key: 'string', value: 'string', effect: 'string', timeAdded: 'string' } } };
const head = { apiVersion: 'string', kind: 'string' } as const;
const endpoint: Schema = { fields: { advertiseAddress: 'string', bindPort: 'int' } };
const patches: Schema = { fields: { directory: 'string' } };

const timeouts: Schema = {
  fields: {
    controlPlaneComponentHealthCheck: 'duration',
    kubeletHealthCheck: 'duration',
    kubernetesAPICall: 'duration',
    etcdAPICall: 'duration',
    tlsBootstrap: 'duration',
    discovery: 'duration',
    upgradeManifests: 'duration',
  },
};

const bootstrapToken: Schema = {
  fields: { token: 'string', description: 'string', ttl: 'duration', expires: 'string', usages: strings, groups: strings },
};

/** What v1beta4 changed: arguments are lists, and there are environment variables, time-outs and more. */
interface Version {
  args: Schema;
  latest: boolean;
}

const since4 = (version: Version, fields: Record<string, Schema>): Record<string, Schema> => (version.latest ? fields : {});

const nodeRegistration = (version: Version): Schema => ({
  fields: {
    name: 'string',
    criSocket: 'string',
    taints,
    kubeletExtraArgs: version.args,
    ignorePreflightErrors: strings,
    imagePullPolicy: 'string',
    ...since4(version, { imagePullSerial: 'bool' }),
  },
});

const initConfiguration = (version: Version): Schema => ({
  fields: {
    ...head,
    bootstrapTokens: { list: bootstrapToken },
    nodeRegistration: nodeRegistration(version),
    localAPIEndpoint: endpoint,
    certificateKey: 'string',
    skipPhases: strings,
    patches,
    ...since4(version, { dryRun: 'bool', timeouts }),
  },
});

const component = (version: Version, more: Record<string, Schema> = {}): Schema => ({
  fields: { extraArgs: version.args, extraVolumes: volumes, ...since4(version, { extraEnvs: envs }), ...more },
});

const clusterConfiguration = (version: Version): Schema => ({
  fields: {
    ...head,
    etcd: {
      fields: {
        local: {
          fields: {
            imageRepository: 'string',
            imageTag: 'string',
            dataDir: 'string',
            extraArgs: version.args,
            serverCertSANs: strings,
            peerCertSANs: strings,
            ...since4(version, { extraEnvs: envs }),
          },
        },
        external: { fields: { endpoints: strings, caFile: 'string', certFile: 'string', keyFile: 'string' } },
      },
    },
    networking: { fields: { serviceSubnet: 'string', podSubnet: 'string', dnsDomain: 'string' } },
    kubernetesVersion: 'string',
    controlPlaneEndpoint: 'string',
    apiServer: component(version, { certSANs: strings, ...(version.latest ? {} : { timeoutForControlPlane: 'duration' }) }),
    controllerManager: component(version),
    scheduler: component(version),
    dns: { fields: { imageRepository: 'string', imageTag: 'string', ...since4(version, { disabled: 'bool' }) } },
    certificatesDir: 'string',
    imageRepository: 'string',
    featureGates: { map: 'bool' },
    clusterName: 'string',
    ...since4(version, {
      proxy: { fields: { disabled: 'bool' } },
      encryptionAlgorithm: 'string',
      certificateValidityPeriod: 'duration',
      caCertificateValidityPeriod: 'duration',
    }),
  },
});

const joinConfiguration = (version: Version): Schema => ({
  fields: {
    ...head,
    nodeRegistration: nodeRegistration(version),
    caCertPath: 'string',
    discovery: {
      fields: {
        bootstrapToken: {
          fields: { token: 'string', apiServerEndpoint: 'string', caCertHashes: strings, unsafeSkipCAVerification: 'bool' },
        },
        file: { fields: { kubeConfigPath: 'string' } },
        tlsBootstrapToken: 'string',
        ...(version.latest ? {} : { timeout: 'duration' }),
      },
    },
    controlPlane: { fields: { localAPIEndpoint: endpoint, certificateKey: 'string' } },
    skipPhases: strings,
    patches,
    ...since4(version, { dryRun: 'bool', timeouts }),
  },
});

const resetConfiguration: Schema = {
  fields: {
    ...head,
    certificatesDir: 'string',
    cleanupTmpDir: 'bool',
    criSocket: 'string',
    dryRun: 'bool',
    force: 'bool',
    ignorePreflightErrors: strings,
    skipPhases: strings,
    unmountFlags: strings,
    timeouts,
  },
};

const kinds = (version: Version): Record<string, Schema> => ({
  InitConfiguration: initConfiguration(version),
  ClusterConfiguration: clusterConfiguration(version),
  JoinConfiguration: joinConfiguration(version),
});

/** The kinds of each version of kubeadm's configuration format. https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/ */
export const KUBEADM_KINDS: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  'kubeadm.k8s.io/v1beta3': kinds({ args: argMap, latest: false }),
  'kubeadm.k8s.io/v1beta4': { ...kinds({ args: argList, latest: true }), ResetConfiguration: resetConfiguration },
};
