/** The port of every node. */
export const WEB_PORT = 30_080;

/** Two pods on different workers behind a port of every node. A pod that is told to end goes on answering for a while. */
export const WEB = JSON.stringify({
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
      spec: { type: 'NodePort', selector: { app: 'web' }, ports: [{ port: 80, nodePort: WEB_PORT }] },
    },
  ],
});
