import { SOURCES } from '@windlass/mgmt-driver';
import { compileBounded } from '@windlass/saga';
import { describe, expect, it } from 'vitest';
import { K8S_SERVICE } from '../cluster/action.js';
import { KUBERNETES_DRIVER, kubernetesDriver } from '../kubeadm.driver.js';
import { defaultSettings } from '../settings/settings.js';
import { guideParams, hookContext } from '../testing/requests.js';

const driver = kubernetesDriver(defaultSettings);

describe('a cluster of many nodes', () => {
  it.each([2, 10, 100])('with %i workers has a plan that the engine takes, whose first look holds all of them', (workers) => {
    const hook = hookContext(guideParams(), workers);
    const machines = hook.vnfcs.flatMap(({ id, resourceId }) => [`host:${id}`, `host:${resourceId}`]);
    const { steps } = compileBounded(JSON.parse(JSON.stringify(driver.plan(hook))), 'hook', {
      driver: KUBERNETES_DRIVER,
      service: K8S_SERVICE,
      actions: driver.describe().actions,
      offers: [],
      sources: new Set([
        ...[SOURCES.instantiateParams, SOURCES.requestParams, SOURCES.retryParams],
        ...hook.vnfcs.map(({ id }) => SOURCES.vnfc(id)),
      ]),
      steps: new Set(),
      limits: new Set(machines),
    });
    expect(steps.find(({ action }) => action === 'inspect-nodes')?.limitKeys).toHaveLength(workers + 1);
    expect(steps.filter(({ action }) => action === 'join-worker')).toHaveLength(workers);
  });
});
