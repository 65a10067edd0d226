import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { SERVICES } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChartRig } from './support/chart-rig.js';
import type { TypedChart } from './support/typed-chart.js';

/** The commands of docs/guides/helm.md on a real Kubernetes of the lab, and a VNF that Windlass instantiates from there. */
let rig: ChartRig;
let person: TypedChart;
let instance: string;

beforeAll(async () => {
  rig = await ChartRig.start();
  ({ person } = rig);
}, minutes(60));
afterAll(() => rig.close(), minutes(10));

describe('the Helm chart, on a real Kubernetes', () => {
  it(
    'is installed by the commands of the guide: every pod ready, the migration done and gone',
    async () => {
      await rig.install();
      expect(await rig.ready()).toEqual(Object.fromEntries(SERVICES.map(({ name }) => [name, 2])));
      expect(await person.kubectl('get jobs -o name')).not.toContain('job');
    },
    minutes(20),
  );

  it('has pods that Pod Security’s "restricted" has nothing against, and whose services may do nothing in the cluster', async () => {
    const warned = await person.run(
      'kubectl label --dry-run=server namespace windlass pod-security.kubernetes.io/enforce=restricted',
    );
    expect(warned).toMatch(/postgres-|nats-/);
    expect(warned).not.toMatch(/windlass-/);
    const may = await person.kubectl('auth can-i --list --as=system:serviceaccount:windlass:windlass --no-headers');
    expect(may).not.toMatch(/\b(pods|secrets|deployments)\b/);
  });

  it(
    'instantiates a VNF, although every pod is replaced meanwhile',
    async () => {
      const client = await rig.api();
      const vnfdId = await rig.prepare(client);
      rig.emulator.faults.add({ kind: 'slow-stack', delayMs: minutes(1), times: 1 });
      const asked = await rig.instantiate(client, vnfdId);
      ({ instance } = asked);
      await waitUntil(() => Promise.resolve(rig.emulator.count('POST', /\/stacks$/) > 0 ? true : undefined), {
        for: 'the stack to be asked for',
        within: minutes(2),
        every: seconds(0.5),
      });
      await person.kubectl('rollout restart deployment -l app.kubernetes.io/instance=windlass');
      await person.run('kubectl -n windlass rollout status deployment -l app.kubernetes.io/instance=windlass', minutes(10));
      await rig.completed(asked.operation);
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toHaveLength(1);
    },
    minutes(25),
  );

  it(
    'is upgraded by the commands of the guide, has the instance still, and leaves nothing of its own when it is taken away',
    async () => {
      await person.type('node deploy/make-secrets.mjs');
      await person.type('helm upgrade');
      expect(await rig.ready()).toMatchObject({ 'infra-driver': 3, 'lcm-api': 2 });
      const client = await rig.api();
      expect(await client.get(instance)).toMatchObject({ instantiationState: 'INSTANTIATED' });
      await rig.completed(await client.accept(`${instance}/terminate`, { terminationType: 'FORCEFUL' }));
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toEqual([]);
      await person.type('helm uninstall');
      const left = await person.kubectl(
        'get deployments,services,jobs,networkpolicies,poddisruptionbudgets,serviceaccounts -o name',
      );
      expect(left).not.toContain('/windlass');
      expect(person.untyped()).toEqual([]);
    },
    minutes(20),
  );
});
