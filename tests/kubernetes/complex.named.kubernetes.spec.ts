import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { complexStory } from '../cluster/support/complex-story.js';
import type { RestCluster } from '../cluster/support/rest-cluster.js';
import { WEB, WEB_PORT } from './support/web.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];

async function begin(cluster: RestCluster): Promise<void> {
  const [master] = await cluster.of('master');
  await cluster.run(master!, [...KUBECTL, 'apply', '-f', '-'], WEB);
  const ready = [...KUBECTL, 'get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}'];
  await waitUntil(async () => ((await cluster.run(master!, ready)) === '2' ? true : undefined), {
    for: 'both pods to be ready',
    within: minutes(3),
    every: seconds(1),
  });
}

complexStory('a real cluster of three masters, by requests alone, whose API and workload are asked every 100 ms', {
  kubernetes: 'real',
  workload: { begin, port: WEB_PORT },
});
