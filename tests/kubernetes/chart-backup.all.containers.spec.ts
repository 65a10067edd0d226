import { minutes } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf } from '../support/guide-shell.js';
import { ChartRig } from './support/chart-rig.js';

/** The commands of docs/guides/backup.md for Kubernetes: a backup by the CronJob's Job, PostgreSQL lost with all it had, the record brought back. */
let rig: ChartRig;
let instance: string;
/** Of the guide: what saves, what stops everything, and what brings back. */
let save: string;
let stop: string;
let bringBack: string;

beforeAll(async () => {
  rig = await ChartRig.start();
  [save = '', stop = '', bringBack = ''] = (await commandsOf('backup.md')).filter((block) => block.includes('kubectl'));
  const { workers } = await rig.cluster.nodes();
  const [worker] = workers;
  if (worker === undefined) throw new Error('the cluster has no worker');
  await rig.cluster.on(worker, 'mkdir', '-p', '/var/lib/backups');
  // The lab has nothing that makes volumes: this one is there for the claim.
  await rig.cluster.apply(`
apiVersion: v1
kind: PersistentVolume
metadata: { name: backups }
spec:
  capacity: { storage: 20Gi }
  accessModes: [ReadWriteOnce]
  local: { path: /var/lib/backups }
  claimRef: { namespace: windlass, name: windlass-backups }
  nodeAffinity:
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [${worker.name}] }] }] }
`);
}, minutes(60));
afterAll(() => rig.close(), minutes(10));

describe('a backup and a restore on a real Kubernetes, by the commands of the guide', () => {
  it(
    'save a record with an instance, while services run',
    async () => {
      await rig.install();
      const client = await rig.api();
      const made = await rig.instantiate(client, await rig.prepare(client));
      ({ instance } = made);
      await rig.completed(made.operation);
      expect(await rig.person.run(save, minutes(15))).toMatch(/wrote \/backups\/monday-\w+\.backup: \d+ rows/);
    },
    minutes(30),
  );

  it(
    'bring it back into an empty database; the instance is there, and is terminated',
    async () => {
      const [, file = ''] = /\/backups\/(monday-\w+)\.backup/.exec(await rig.person.kubectl('logs job/monday')) ?? [];
      await rig.person.run(stop, minutes(5));
      await rig.person.kubectl('rollout restart deployment/postgres');
      await rig.person.run('kubectl -n windlass rollout status deployment/postgres --timeout=5m', minutes(6));
      const printed = await rig.person.run(bringBack.replace('monday-x2k9p', file), minutes(30));
      expect(printed).toMatch(/restored \d+ rows[^]*incarnation \d+ begins[^]*brought back from a backup/);
      const client = await rig.api();
      expect(await client.get(instance)).toMatchObject({ instantiationState: 'INSTANTIATED' });
      await rig.completed(await client.accept(`${instance}/terminate`, { terminationType: 'FORCEFUL' }));
      expect(rig.emulator.inventory().flatMap(({ stacks }) => stacks)).toEqual([]);
    },
    minutes(40),
  );
});
