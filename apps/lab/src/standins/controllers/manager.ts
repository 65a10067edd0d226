import { createPrivateKey } from 'node:crypto';
import type { Duration } from '@windlass/foundation';
import type { KubeClient } from '../client/kube-client.js';
import type { IpRange } from '../kube/ip-range.js';
import type { KeyPair } from '../pki/certificates.js';
import { bootstrapSignerController, tokenCleanerController } from './bootstrap-tokens.js';
import { certificateApproverController, certificateSignerController } from './certificates.js';
import { ClusterView } from './cluster-view.js';
import { ControlLoop } from './control-loop.js';
import type { Controller } from './controller.js';
import { daemonSetController } from './daemon-sets.js';
import { deploymentController, replicaSetController } from './deployments.js';
import { disruptionBudgetController } from './disruption-budgets.js';
import { garbageController, podGarbageController } from './garbage.js';
import { namespaceController } from './namespaces.js';
import { nodeAddressController } from './node-addresses.js';
import { nodeLifecycleController } from './node-lifecycle.js';
import { serviceAccountController } from './service-accounts.js';
import { taintEvictionController } from './taint-eviction.js';
import { volumeController } from './volumes.js';

export interface ManagerSettings {
  /** PEM of the cluster's CA, and the CA with its key for signing. */
  rootCa: string;
  signer: KeyPair;
  /** PEM of `sa.key`. */
  accountKey: string;
  /** Undefined without `--allocate-node-cidrs`. */
  podRange: { range: IpRange; maskSize: number } | undefined;
  nodeGrace: Duration;
  log: (line: string) => void;
}

/** All controllers of the controller manager stand-in. */
export const allControllers = (settings: ManagerSettings): Controller[] => [
  bootstrapSignerController,
  tokenCleanerController,
  certificateApproverController,
  certificateSignerController(settings.signer),
  daemonSetController,
  deploymentController,
  replicaSetController,
  disruptionBudgetController,
  garbageController,
  podGarbageController,
  namespaceController,
  nodeLifecycleController(settings.nodeGrace),
  taintEvictionController(),
  serviceAccountController(settings.rootCa, createPrivateKey(settings.accountKey)),
  volumeController,
  ...(settings.podRange === undefined
    ? []
    : [nodeAddressController(settings.podRange.range, settings.podRange.maskSize, settings.log)]),
];

/** Runs controllers over one shared view of the cluster until stopped. */
export async function runControllers(
  client: KubeClient,
  controllers: readonly Controller[],
  log: (line: string) => void,
): Promise<{ stop(): void }> {
  const types = [...new Set(controllers.flatMap((controller) => controller.watches))];
  const view = new ClusterView(client, types, log);
  const loops = controllers.map((controller) => {
    const loop = new ControlLoop(controller.name, () => controller.sync(view), log);
    return { controller, loop };
  });
  await view.start();
  for (const { controller, loop } of loops) {
    view.onChange(controller.watches, () => loop.trigger());
    loop.trigger();
  }
  return {
    stop: () => {
      for (const { loop } of loops) loop.stop();
      view.stop();
    },
  };
}
