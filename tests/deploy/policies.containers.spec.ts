import { execFile } from 'node:child_process';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes, type JsonObject } from '@windlass/foundation';
import { SERVICES, surroundings } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { goProgram } from './support/go-programs.js';
import { policyAnalyzer, reachOf, type Reach } from './support/policy-analyzer.js';

/** Who reaches whom by the chart's policies and those of its examples, as an analyzer reads them. That a network enforces them is tests/kubernetes/chart-policies' to show. */
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm/windlass');
const NETWORKS = 'networkPolicy.outsideExcept={192.168.0.0/16,10.199.187.0/24}';
const SERVERS =
  'networkPolicy.nats.to[0].podSelector.matchLabels.app=nats,networkPolicy.postgresql.to[0].podSelector.matchLabels.app=postgres';
const METRICS = 'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=elsewhere';

let helm: string;
let analyzer: string;
let folder: string;
beforeAll(async () => {
  const tools = join(surroundings().cache, 'lab/helm');
  helm = await goProgram(tools, 'helm');
  analyzer = await policyAnalyzer(tools);
  folder = await mkdtemp(join(tmpdir(), 'windlass-policies-'));
}, minutes(60));
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Rendered {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec: { template: { metadata: { labels: Record<string, string> }; spec: { containers: { ports?: object[] }[] } } };
}
const objectsIn = (text: string): Rendered[] => parseAllDocuments(text).map((each) => each.toJS() as Rendered | null).filter((each) => each !== null); // prettier-ignore

const namespaces = ['windlass', 'elsewhere'].map((name): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'kubernetes.io/metadata.name': name } } })); // prettier-ignore
const pod = (namespace: string, name: string, labels: object, ports: object[]): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } as JsonObject },
  spec: { containers: [{ name, image: 'x', ports }] } as unknown as JsonObject,
});

/** The release, the servers for trying, a Job of backup.yaml, and in each namespace a pod that is nobody's. */
async function reaches(...settings: string[]): Promise<Map<string, Reach>> {
  const set = ['publicUrl=https://windlass.example', ...settings].flatMap((each) => ['--set', each]);
  const asked = ['template', 'windlass', chart, '--namespace', 'windlass', '--kube-version', '1.34.4', ...set];
  const ours = objectsIn((await run(helm, asked, { maxBuffer: 16 * 1024 ** 2 })).stdout);
  const servers = objectsIn(await readFile(join(root, 'deploy/helm/examples/servers-for-trying.yaml'), 'utf8'));
  const all = [...ours, ...servers];
  const pods = all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec: { template } }) =>
      pod(
        'windlass',
        metadata.name.replace(/^windlass-/, ''),
        template.metadata.labels,
        template.spec.containers[0]?.ports ?? [],
      ),
    );
  const policies = all
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((each) => ({ ...each, metadata: { ...each.metadata, namespace: 'windlass' } }) as unknown as JsonObject);
  const backup = parseAllDocuments(await readFile(join(root, 'deploy/helm/examples/backup.yaml'), 'utf8'))
    .map((each) => each.toJS() as { kind: string; spec: { jobTemplate: Rendered } })
    .find(({ kind }) => kind === 'CronJob');
  const others = [
    pod('windlass', 'backup', backup?.spec.jobTemplate.spec.template.metadata.labels ?? {}, []),
    ...['windlass', 'elsewhere'].map((name) => pod(name, 'stranger', { app: 'stranger' }, [{ containerPort: 8080 }])),
  ];
  return reachOf(analyzer, [...namespaces, ...pods, ...others, ...policies], await mkdtemp(join(folder, 'asked-')));
}

const names = SERVICES.map(({ name }) => name);
const inside = [...names, 'migration', 'postgres', 'nats'];
/** Of the pods inside, those that a pod may connect to. */
const amongOurs = (reach: Map<string, Reach>, from: string): Record<string, readonly string[]> =>
  Object.fromEntries(
    inside.flatMap((name) => {
      const ports = reach.get(from)?.get(`windlass/${name}`);
      return ports === undefined ? [] : [[name, ports]];
    }),
  );

describe('the policies of the Helm chart, as an analyzer reads them', () => {
  it('let strangers of both namespaces reach the API, and nothing else that is ours', async () => {
    const reach = await reaches(NETWORKS);
    for (const from of ['windlass/stranger', 'elsewhere/stranger'])
      expect([from, amongOurs(reach, from)]).toEqual([from, { 'lcm-api': ['TCP 9890'] }]);
  });

  it('let a service reach NATS, PostgreSQL where it holds its password, and no other service', async () => {
    const reach = await reaches(NETWORKS);
    for (const { name, core } of SERVICES) {
      const wanted = core ? { postgres: ['TCP 5432'], nats: ['TCP 4222'] } : { nats: ['TCP 4222'] };
      expect([name, amongOurs(reach, `windlass/${name}`)]).toEqual([name, wanted]);
    }
    expect(amongOurs(reach, 'windlass/migration')).toEqual({ postgres: ['TCP 5432'] });
    // It is in no release, and so under none of its policies: the API and NATS let it in as any pod of their kind.
    expect(amongOurs(reach, 'windlass/backup')).toEqual({
      'lcm-api': ['TCP 9890'],
      postgres: ['TCP 5432'],
      nats: ['TCP 4222'],
    });
  });

  it('let a service reach other pods of the cluster by names’ port alone, where its servers and networks are named, and VIMs everywhere else', async () => {
    const reach = await reaches(NETWORKS, SERVERS);
    for (const name of names) {
      const of = reach.get(`windlass/${name}`);
      for (const stranger of ['windlass/stranger', 'elsewhere/stranger'])
        expect([name, stranger, of?.get(stranger)]).toEqual([name, stranger, ['TCP, UDP 53']]);
      expect([name, of?.get('192.169.0.0-255.255.255.255')]).toEqual([name, ['All connections']]);
      expect([name, of?.get('192.168.0.0-192.168.255.255')]).toEqual([name, ['TCP, UDP 53']]);
    }
    expect(reach.get('windlass/migration')?.get('0.0.0.0-255.255.255.255')).toEqual(['TCP, UDP 53']);
  });

  it('show metrics to whom they are said to be shown, and keep nobody from anybody where they are off', async () => {
    const shown = await reaches(NETWORKS, METRICS);
    for (const name of names)
      expect([name, shown.get('elsewhere/stranger')?.get(`windlass/${name}`)]).toEqual([
        name,
        [name === 'lcm-api' ? 'TCP 9090,9890' : 'TCP 9090'],
      ]);
    expect(amongOurs(shown, 'windlass/stranger')).toEqual({ 'lcm-api': ['TCP 9890'] });
    const off = await reaches('networkPolicy.enabled=false');
    for (const name of names) expect(off.get('windlass/stranger')?.get(`windlass/${name}`)).toEqual(['All connections']);
  });
});
