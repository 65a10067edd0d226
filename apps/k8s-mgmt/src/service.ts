import { driverService, type DriverParts, type ServiceParts } from '@windlass/driver-kit';
import { ConfigError, type ServiceDefinition } from '@windlass/service-kit';
import { boundActions } from './actions.js';
import { K8S_SERVICE } from './cluster/action.js';
import { K8sMgmtConfig } from './config.js';
import { kubernetesDriver } from './kubeadm.driver.js';
import { kubesprayDriver } from './kubespray.driver.js';
import { nodePortDriver } from './node-port.driver.js';
import { INTERNET } from './settings/internet-defaults.js';
import { defaultSettings, type K8sMgmtSettings } from './settings/settings.js';

/** The driver of Kubernetes clusters and its actions. */
export const k8sParts = (settings: K8sMgmtSettings): DriverParts => ({
  driver: kubernetesDriver(settings),
  actions: (ports) => boundActions(ports, settings),
});

/** The driver of clusters that kubespray makes, and the same actions. */
export const kubesprayParts = (settings: K8sMgmtSettings): DriverParts => ({
  driver: kubesprayDriver(settings),
  actions: (ports) => boundActions(ports, settings),
});

/** The driver of NodePorts of VNFs of containers, and the same actions. */
export const nodePortParts = (settings: K8sMgmtSettings): DriverParts => ({
  driver: nodePortDriver(settings),
  actions: (ports) => boundActions(ports, settings),
});

/** All of them, as one service runs them. */
export const k8sServiceParts = (settings: K8sMgmtSettings): ServiceParts => ({
  drivers: [kubernetesDriver(settings), kubesprayDriver(settings), nodePortDriver(settings)],
  actions: (ports) => boundActions(ports, settings),
});

export const k8sMgmt: ServiceDefinition<K8sMgmtConfig> = driverService({
  name: K8S_SERVICE,
  version: '0.1.0',
  description:
    'management drivers of Kubernetes clusters: installs them on VMs, by kubeadm over SSH or by an Ansible server with kubespray, and opens ports of containers on their load balancer',
  config: K8sMgmtConfig,
  parts: (config) => k8sServiceParts(settingsOf(config)),
});

/** What the configuration decides, with the defaults that depend on what else is given. @throws ConfigError */
export function settingsOf(config: K8sMgmtConfig): K8sMgmtSettings {
  const { kubernetesVersion, kubernetesAptUrl = INTERNET.kubernetesAptUrl.value, containerdAptSource: line } = config;
  if (config.networkAddon === 'calico' && config.calicoManifest === undefined)
    throw new ConfigError(['NETWORK_ADDON is "calico" without CALICO_MANIFEST; expected both']);
  const keyUrl = config.containerdAptKeyUrl ?? `${line?.split(' ')[0]?.replace(/\/$/, '') ?? ''}/gpg`;
  return {
    ...defaultSettings,
    kubernetesVersion,
    kubernetesAptUrl: kubernetesAptUrl === 'none' ? undefined : kubernetesAptUrl,
    kubernetesFingerprint: config.kubernetesAptFingerprint,
    containerdPackage: config.containerdPackage ?? (line === undefined ? 'containerd' : 'containerd.io'),
    containerdSource: line === undefined ? undefined : { line, keyUrl, fingerprint: config.containerdAptFingerprint },
    clockDifference: config.nodeClockDifference,
    firstBootWithin: config.firstBootWithin,
    imageRepository: config.kubernetesImageRepository,
    flannelImage: config.flannelImage,
    flannelPluginImage: config.flannelPluginImage,
    verificationImage: config.verificationImage,
    networkAddon: config.networkAddon,
    calicoManifest: config.calicoManifest,
  };
}
