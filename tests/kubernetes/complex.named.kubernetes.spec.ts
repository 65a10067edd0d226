import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { complexStory } from '../cluster/support/complex-story.js';
import type { RestCluster } from '../cluster/support/rest-cluster.js';

/** Two pods on different workers behind a port of every node. A pod that is told to end goes on answering for a while, as a good one does. */
const WEB = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            terminationGracePeriodSeconds: 20,
            affinity: {
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  {
                    weight: 100,
                    podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
                  },
                ],
              },
            },
            containers: [
              {
                name: 'web',
                image: 'docker.io/library/busybox:1.36',
                command: ['sh', '-c', 'echo here > /tmp/index.html; exec httpd -f -p 80 -h /tmp'],
                readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, nodePort: 30080 }] },
    },
  ],
});

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
  workload: { begin, port: 30_080 },
});
