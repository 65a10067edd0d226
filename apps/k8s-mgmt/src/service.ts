import { driverService, type DriverParts } from '@windlass/driver-kit';
import type { ServiceDefinition } from '@windlass/service-kit';
import { boundActions } from './actions/bound-actions.js';
import { K8S_SERVICE } from './actions/contracts.js';
import { K8sMgmtConfig } from './config.js';
import { kubernetesDriver } from './driver/kubernetes.driver.js';
import { defaultSettings, type K8sMgmtSettings } from './settings.js';

/** The driver of Kubernetes clusters and its actions. */
export const k8sParts = (settings: K8sMgmtSettings): DriverParts => ({
  driver: kubernetesDriver(settings),
  actions: boundActions,
});

export const k8sMgmt: ServiceDefinition<K8sMgmtConfig> = driverService({
  name: K8S_SERVICE,
  version: '0.1.0',
  description: 'management drivers of Kubernetes clusters: installs them on VMs by kubeadm over SSH',
  config: K8sMgmtConfig,
  parts: ({ kubernetesVersion, kubernetesAptUrl = defaultSettings.kubernetesAptUrl }) =>
    k8sParts({
      ...defaultSettings,
      kubernetesVersion,
      kubernetesAptUrl: kubernetesAptUrl === 'none' ? undefined : kubernetesAptUrl,
    }),
});
