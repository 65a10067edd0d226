import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { ChartRig } from './support/chart-rig.js';

/** The chart's autoscaler by steps that wait: a Prometheus, prometheus-adapter with the rule of docs/guides/helm.md, and more work than one infra-driver takes at once. */
let rig: ChartRig;
const OPERATIONS = 30;
const MOST = 3;
let asked: string[];

/** The addresses of all pods of ours, by which Debian's Prometheus finds them. */
const SCRAPED = `
apiVersion: v1
kind: Service
metadata: { name: scraped, namespace: windlass }
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector: { app.kubernetes.io/name: windlass }
  ports: [{ port: 9090 }]
`;

const SCALING =
  'enabled=true,minReplicas=1,maxReplicas=3,targetCPUUtilizationPercentage=0,targetClaimableSteps=4,behavior.scaleDown.stabilizationWindowSeconds=15';

beforeAll(async () => {
  rig = await ChartRig.start(['prometheus', 'metrics-adapter']);
  const manifest = await readFile(join(home, 'tests/kubernetes/support/metrics.yaml'), 'utf8');
  const [, rules = ''] =
    /```yaml\n(externalRules:[^]*?)```/.exec(await readFile(join(home, 'docs/guides/helm.md'), 'utf8')) ?? [];
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'adapter', namespace: 'monitoring' } };
  await rig.cluster.apply(`${manifest}---\n${JSON.stringify({ ...config, data: { 'config.yaml': rules } })}\n`);
}, minutes(60));
afterAll(() => rig.close(), minutes(10));

/** Replicas that the autoscaler wants of infra-driver, and that are ready. */
async function replicas(): Promise<{ wanted: number; ready: number }> {
  const { spec, status } = (await rig.person.json('get deployment windlass-infra-driver')) as {
    spec: { replicas: number };
    status: { readyReplicas?: number };
  };
  return { wanted: spec.replicas, ready: status.readyReplicas ?? 0 };
}
const until = (what: string, is: (seen: { wanted: number; ready: number }) => boolean): Promise<true> =>
  waitUntil(
    async (seen) => {
      const now = await replicas();
      seen(JSON.stringify(now));
      return is(now) ? true : undefined;
    },
    { for: what, within: minutes(8), every: seconds(2) },
  );

describe('the autoscaler of the Helm chart, on a real Kubernetes', () => {
  it(
    'has a figure while nothing waits: 0, and one replica',
    async () => {
      const told = SCALING.split(',').map((each) => `services.infra-driver.autoscaling.${each}`);
      const metrics = 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=monitoring';
      const places = '--set-string services.infra-driver.config.STEPS_AT_ONCE=4';
      await rig.install(...[...told, metrics].map((each) => `--set '${each}'`), places);
      await rig.cluster.apply(SCRAPED);
      for (const name of ['prometheus', 'adapter'])
        await rig.person.run(`kubectl -n monitoring rollout status deployment/${name} --timeout=5m`, minutes(6));
      const path = '/apis/external.metrics.k8s.io/v1beta1/namespaces/windlass/windlass_claimable_steps';
      const figure = `kubectl get --raw '${path}?labelSelector=worker_service%3Dinfra-driver'`;
      const said = await waitUntil(() => rig.person.run(figure).catch(() => undefined), {
        for: 'the adapter to know the metric',
        within: minutes(5),
        every: seconds(2),
      });
      expect((JSON.parse(said) as { items: { value: string }[] }).items.map(({ value }) => value)).toEqual(['0']);
      await until('one infra-driver', ({ wanted, ready }) => wanted === 1 && ready === 1);
    },
    minutes(30),
  );

  it(
    'adds infra-drivers while more steps wait than one takes, and no operation fails by it',
    async () => {
      rig.emulator.faults.add({ kind: 'hang', method: 'POST', path: '/stacks$', forMs: seconds(20), times: OPERATIONS });
      const client = await rig.api();
      const vnfdId = await rig.prepare(client);
      asked = [];
      for (let n = 0; n < OPERATIONS; n += 1) asked.push((await rig.instantiate(client, vnfdId)).operation);
      await until('more infra-drivers', ({ wanted }) => wanted === MOST);
      for (const operation of asked) await rig.completed(operation);
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toHaveLength(OPERATIONS);
    },
    minutes(30),
  );

  it(
    'takes them away again when nothing waits',
    async () => {
      await until('one infra-driver again', ({ wanted, ready }) => wanted === 1 && ready === 1);
      const client = await rig.api();
      const [known] = await client.list('/vnfpkgm/v1/vnf_packages');
      await rig.completed((await rig.instantiate(client, String(known?.vnfdId))).operation);
    },
    minutes(20),
  );
});
