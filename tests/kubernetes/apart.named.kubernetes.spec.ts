import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { plainParams } from '@windlass/k8s-mgmt/testing';
import type { Vnfc } from '@windlass/mgmt-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labCluster } from '../cluster/support/lab-cluster.js';

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];

/** Where each worker stands: two share a host, and two a zone. */
const PLACES = [
  { host: 'compute01', grantedZone: 'az1' },
  { host: 'compute01', grantedZone: 'az2' },
  { host: 'compute02', grantedZone: 'az2' },
] as const;

/** A Deployment of two pods that may not share what a label of their nodes names. */
const apart = (name: string, topologyKey: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app: name } } }],
            },
          },
          containers: [{ name: 'idle', image: 'docker.io/library/busybox:1.36', command: ['sleep', 'infinity'] }],
        },
      },
    },
  });

describe('replicas that may not share a place, on a real Kubernetes whose workers our own steps have labelled', () => {
  let lab: Awaited<ReturnType<typeof labCluster>>;
  let master: Vnfc;
  /** What is said of each worker, by its name in the cluster. */
  let places: Map<string, (typeof PLACES)[number]>;

  beforeAll(async () => {
    const images = Array.from({ length: 1 + PLACES.length }, () => 'debian-12');
    const params = plainParams();
    lab = await labCluster({ params, images, kubernetes: 'real' });
    const [first, ...workers] = lab.vnfcs;
    master = first!;
    places = new Map(workers.map(({ cps }, at) => [`worker${cps[0]!.addresses[0]!.split('.')[3] ?? ''}`, PLACES[at]!]));
    const vnfcs = [master, ...workers.map((worker, at) => ({ ...worker, ...PLACES[at]! }))];
    const { runner, lines } = lab.operation({ vnfcs }, params);
    await runner.run().catch((error: unknown) => {
      process.stderr.write(`${lines.slice(-40).join('\n')}\n`);
      throw error;
    });
  });
  afterAll(() => lab.end());

  async function kubectl(argv: readonly string[], input = ''): Promise<string> {
    const { status, stdout, stderr } = await lab.fleet.exec(master.resourceId, [...KUBECTL, ...argv], { input });
    if (status !== 0) throw new Error(`kubectl ${argv.join(' ')} ended with status ${status ?? 'none'}: ${stderr}`);
    return stdout.trim();
  }

  /** The Deployment's pods: the worker of each that runs, and what the scheduler says of one that it has no place for. */
  async function pods(name: string): Promise<{ running: string[]; unplaced: string[] }> {
    const { items } = JSON.parse(await kubectl(['get', 'pods', '-l', `app=${name}`, '-o', 'json'])) as {
      items: { spec: { nodeName?: string }; status: { phase: string; conditions?: { reason?: string; message?: string }[] } }[];
    };
    return {
      running: items.flatMap(({ spec, status }) => (status.phase === 'Running' ? [spec.nodeName ?? ''] : [])),
      unplaced: items.flatMap(({ status }) =>
        (status.conditions ?? []).flatMap(({ reason, message }) => (reason === 'Unschedulable' ? [message ?? ''] : [])),
      ),
    };
  }

  const untilPods = (what: string, name: string, wanted: { running: number; unplaced: number }) =>
    waitUntil(
      async (seen) => {
        const found = await pods(name);
        seen(JSON.stringify(found));
        return found.running.length === wanted.running && found.unplaced.length === wanted.unplaced ? found : undefined;
      },
      { for: what, within: minutes(5), every: seconds(1) },
    );

  it.each([
    ['CIS-node', 'host'],
    ['kubernetes.io/zone', 'grantedZone'],
  ] as const)(
    'land apart by %s, and a third has no place',
    async (topologyKey, of) => {
      const name = of.toLowerCase();
      await kubectl(['apply', '-f', '-'], apart(name, topologyKey));
      const two = await untilPods('both replicas to run', name, { running: 2, unplaced: 0 });
      const where = two.running.map((node) => places.get(node)?.[of]);
      expect(where.toSorted()).toEqual([...new Set(PLACES.map((place) => place[of]))].toSorted());
      await kubectl(['scale', 'deployment', name, '--replicas=3']);
      const three = await untilPods('the third to have no place', name, { running: 2, unplaced: 1 });
      expect(three.running.toSorted()).toEqual(two.running.toSorted());
      expect(three.unplaced[0]).toMatch(/didn't match pod anti-affinity rules/);
    },
    minutes(12),
  );
});
