import { seconds, TerminalError, waitUntil } from '@windlass/foundation';
import { TEST_IMAGE, type HostFleet } from '@windlass/lab';

const NODE_PORT = 30_080;

/** Two pods that say their name over HTTP, on nodes that differ, and a Service before them. */
const MANIFEST = JSON.stringify({
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'hello' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'hello' } },
        template: {
          metadata: { labels: { app: 'hello' } },
          spec: {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'ScheduleAnyway',
                labelSelector: { matchLabels: { app: 'hello' } },
              },
            ],
            containers: [
              {
                name: 'hello',
                image: TEST_IMAGE,
                command: ['sh', '-c', 'mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www'],
                readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hello' },
      spec: { type: 'NodePort', selector: { app: 'hello' }, ports: [{ port: 80, targetPort: 8080, nodePort: NODE_PORT }] },
    },
  ],
});

/**
 * Runs pods on the cluster and asks them, through the Service on the master.
 * @throws TransientError `wait.timeout` where they do not answer in two minutes, with what was seen last
 */
export async function showPodsThatAnswer(fleet: HostFleet, master: string, say: (line: string) => void): Promise<void> {
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const argv = ['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', ...args];
    const { status, stdout, stderr } = await fleet.exec(master, argv, input === undefined ? {} : { input });
    if (status !== 0) throw new TerminalError('demo.kubectl', `kubectl ${args.join(' ')} failed: ${stderr.trim()}`);
    return stdout.trimEnd();
  };
  say('== pods: a Deployment of two and a Service ==');
  await kubectl(['apply', '-f', '-'], MANIFEST);
  await kubectl(['rollout', 'status', 'deployment/hello', '--timeout=110s']);
  for (const line of (await kubectl(['get', 'pods', '-o', 'wide'])).split('\n')) say(`  ${line}`);
  const [address = ''] = fleet.addresses(master);
  const asked = `http://${address}:${NODE_PORT}/`;
  const answer = await waitUntil(
    async (seen) => {
      const { status, stdout, stderr } = await fleet.exec(master, ['curl', '--silent', '--show-error', '--max-time', '3', asked]);
      seen(stderr);
      return status === 0 ? stdout.trim() : undefined;
    },
    { for: `a pod to answer at ${asked}`, within: seconds(60), every: seconds(0.5) },
  );
  say(`  GET ${asked} is answered by ${answer}`);
}
