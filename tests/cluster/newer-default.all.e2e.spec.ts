import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killService } from '../support/killed-services.js';
import { RestCluster } from './support/rest-cluster.js';

/** Of the lab's repository, the older one; the service's default is the newer. */
const OLDER = '1.33.5';
const NEWER = '1.34.1';

const WITHIN = minutes(10);

describe('a cluster that was made before the service’s default version was raised', () => {
  let cluster: RestCluster;

  beforeAll(async () => {
    const environment = { KUBERNETES_VERSION: OLDER };
    cluster = await RestCluster.start('simple', {}, environment);
    await cluster.instantiate();
    environment.KUBERNETES_VERSION = NEWER;
    await killService(cluster.deployed, 'k8s-mgmt');
    await cluster.deployed.deployment.processes.find(({ name }) => name === 'k8s-mgmt')?.ready(minutes(2));
  }, WITHIN);
  afterAll(() => cluster.close());

  /** Version of each node's kubelet, by the cluster's own word. */
  async function kubelets(): Promise<string[]> {
    const [master] = await cluster.of('master');
    const versions = 'jsonpath={range .items[*]}{.status.nodeInfo.kubeletVersion}{"\\n"}{end}';
    const argv = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', 'get', 'nodes', '-o', versions];
    return (await cluster.run(master!, argv)).trim().split('\n');
  }

  it(
    'is scaled out with its own version',
    async () => {
      await cluster.scale('worker', 'SCALE_OUT');
      expect(await kubelets()).toEqual(Array.from({ length: 4 }, () => `v${OLDER}`));
    },
    WITHIN,
  );

  it(
    'is healed with its own version',
    async () => {
      const [worker] = await cluster.of('worker');
      await cluster.heal([worker!]);
      const healed = (await cluster.of('worker')).find(({ id }) => id === worker!.id);
      expect(healed?.serverId).not.toBe(worker!.serverId);
      expect(await kubelets()).toEqual(Array.from({ length: 4 }, () => `v${OLDER}`));
    },
    WITHIN,
  );
});
