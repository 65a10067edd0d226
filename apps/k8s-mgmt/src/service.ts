import { minutes } from '@windlass/foundation';
import { NatsCoordinatorClient, NatsHostKeys, RequestClient } from '@windlass/messaging';
import { RemoteHosts } from '@windlass/remote-host';
import { enrol, type ServiceDefinition } from '@windlass/service-kit';
import { K8sMgmtConfig } from './config.js';
import { K8S_SERVICE } from './driver/node-steps.js';
import { defaultSettings } from './settings.js';
import { startK8sMgmt } from './start-k8s-mgmt.js';

export const k8sMgmt: ServiceDefinition<K8sMgmtConfig> = {
  name: 'k8s-mgmt',
  version: '0.1.0',
  description: 'management drivers of Kubernetes clusters: installs them on VMs by kubeadm over SSH',
  config: K8sMgmtConfig,
  start: async (context) => {
    const { config, log, replica, nats } = context;
    const link = await nats();
    const enrolment = enrol(K8S_SERVICE, context, link);
    const client = new RequestClient(link);
    const coordinator = new NatsCoordinatorClient(client, enrolment);
    const hosts = new RemoteHosts({
      hostKeys: new NatsHostKeys(client, coordinator),
      patience: config.sshPatience,
      idle: minutes(1),
    });
    const aptUrl = config.kubernetesAptUrl ?? defaultSettings.kubernetesAptUrl;
    const service = await startK8sMgmt({
      link,
      enrolment,
      coordinator,
      hosts,
      settings: {
        ...defaultSettings,
        kubernetesVersion: config.kubernetesVersion,
        kubernetesAptUrl: aptUrl === 'none' ? undefined : aptUrl,
      },
      replica,
      log,
      ...(config.natsUser === undefined ? {} : { user: config.natsUser }),
    });
    return {
      get ready() {
        return service.ready;
      },
      stop: async () => {
        await service.stop();
        await enrolment.stop();
        hosts.close();
      },
    };
  },
};
