import { execFile } from 'node:child_process';
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { minutes } from '@windlass/foundation';
import { SERVICES, surroundings } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { goProgram } from './support/go-programs.js';
import { kubernetesSchemas } from './support/kubernetes-schemas.js';

/** deploy/helm/windlass by helm itself, and what it makes by Kubernetes' schemas. Installed it is in tests/kubernetes. */
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm/windlass');
const names = SERVICES.map(({ name }) => name);

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe?: object;
  livenessProbe?: object;
  readinessProbe?: object;
}
interface Source {
  secret?: { name: string; items: { key: string; path: string }[] };
}
interface Pod {
  serviceAccountName?: string;
  automountServiceAccountToken: boolean;
  securityContext: object;
  containers: Container[];
  volumes: { name: string; projected?: { sources: Source[] } }[];
  topologySpreadConstraints?: object[];
}
interface Rendered {
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    replicas?: number;
    template: { metadata: { labels: Record<string, string> }; spec: Pod };
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress: { from?: object[] }[];
    egress: { to?: { ipBlock?: { cidr: string; except?: string[] } }[]; ports?: { port: number }[] }[];
  };
}

let helm: string;
let kubeconform: string[];
let folder: string;
beforeAll(async () => {
  const tools = join(surroundings().cache, 'lab/helm');
  helm = await goProgram(tools, 'helm');
  kubeconform = [await goProgram(tools, 'kubeconform'), '-strict', '-summary', ...(await kubernetesSchemas(tools))];
  folder = await mkdtemp(join(tmpdir(), 'windlass-chart-'));
}, minutes(60));
afterAll(() => rm(folder, { recursive: true, force: true }));

const URL = ['--set', 'publicUrl=https://windlass.example/vnfm'];
/** Everything that may be switched on, and every place that may be another. */
const ALL = `
publicUrl: https://windlass.example
image: { digest: sha256:${'ab'.repeat(32)} }
imagePullSecrets: [{ name: pull }]
nats: { url: 'tls://nats-0.nats:4222,tls://nats-1.nats:4222' }
secrets: { database-url: { name: windlass-db-app, key: uri } }
config: { LOG_LEVEL: warn, LCM_MAX_PACKAGE_BYTES: '1000000' }
files: { NATS_CA_FILE: { configMap: nats-ca, key: ca.crt } }
services:
  saga-coordinator: { files: { NFVO_PASSWORD_FILE: { secret: nfvo, key: password } }, config: { NFVO_URL: 'https://nfvo.example' } }
  infra-driver: { replicas: 5, nodeSelector: { role: vnfm }, podAnnotations: { a: b } }
  lcm-api: { autoscaling: { maxReplicas: 9 } }
autoscaling: { enabled: true, targetClaimableSteps: 5, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }
api: { type: LoadBalancer, port: 443, annotations: { a: b } }
networkPolicy:
  metricsFrom: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: monitoring } } }]
  nats: { to: [{ podSelector: { matchLabels: { app: nats } } }] }
  traces: { to: [{ podSelector: { matchLabels: { app: collector } } }], port: 4317 }
  postgresql: { to: [{ podSelector: { matchLabels: { app: postgres } } }], port: 6432 }
  outsideExcept: [10.96.0.0/12, 'fd00::/64']
spread: { zone: DoNotSchedule }
tolerations: [{ operator: Exists }]
affinity: { nodeAffinity: {} }
priorityClassName: system-cluster-critical
`;

/** What helm says where it refuses; the text that it renders where it does not. */
async function rendered(...args: string[]): Promise<string> {
  const { stdout } = await run(
    helm,
    ['template', 'vnfm', chart, '--namespace', 'windlass', '--kube-version', '1.34.4', ...args],
    {
      maxBuffer: 16 * 1024 ** 2,
    },
  );
  return stdout;
}
const refused = (...args: string[]): Promise<string> => rendered(...args).then(() => '', (error: unknown) => (error as { stderr: string }).stderr); // prettier-ignore
const objectsIn = (text: string): Rendered[] => parseAllDocuments(text).map((each) => each.toJS() as Rendered | null).filter((each) => each !== null); // prettier-ignore
const all = async (): Promise<string> => {
  const file = join(folder, 'all.yaml');
  await writeFile(file, ALL);
  return file;
};
const partOf = ({ metadata }: Rendered): string => metadata.labels['app.kubernetes.io/component'] ?? '';
const podsOf = (objects: readonly Rendered[]): [string, Pod][] =>
  objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map((each) => [partOf(each), each.spec.template.spec]);

describe('the Helm chart, by helm', () => {
  it('passes helm lint --strict, and renders objects that Kubernetes’ own schemas take, as it is and with everything on', async () => {
    for (const args of [URL, ['--values', await all()]]) {
      const { stdout } = await run(helm, ['lint', '--strict', chart, ...args]);
      expect(stdout).toContain('0 chart(s) failed');
      const file = join(folder, 'rendered.yaml');
      await writeFile(file, await rendered(...args));
      const [program = '', ...options] = kubeconform;
      const checked = await run(program, [...options, file]).catch((error: unknown) => error as { stdout: string });
      expect(checked.stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/);
    }
  });

  it('has examples that Kubernetes’ own schemas take', async () => {
    const [program = '', ...options] = kubeconform;
    for (const name of ['backup', 'restore', 'servers-for-trying']) {
      const file = join(root, `deploy/helm/examples/${name}.yaml`);
      const checked = await run(program, [...options, file]).catch((error: unknown) => error as { stdout: string });
      expect([name, checked.stdout]).toEqual([name, expect.stringMatching(/Invalid: 0, Errors: 0, Skipped: 0/)]);
    }
  });

  it('is held by schemas that refuse a field which Kubernetes does not know', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(
      file,
      (await rendered(...URL)).replace('automountServiceAccountToken: false', 'automountServiceAccountTokens: false'),
    );
    const [program = '', ...options] = kubeconform;
    const checked = await run(program, [...options, file]).catch((error: unknown) => error as { stdout: string });
    expect(checked.stdout).toMatch(/Invalid: 1,/);
  });

  it('makes a Deployment, a budget and a policy for each service, a Service of the API alone, and no Secret', async () => {
    const objects = objectsIn(await rendered(...URL));
    const made = (kind: string): string[] => objects.filter((each) => each.kind === kind).map(partOf).sort(); // prettier-ignore
    expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual(
      ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount'].sort(),
    );
    for (const kind of ['Deployment', 'PodDisruptionBudget']) expect([kind, made(kind)]).toEqual([kind, [...names].sort()]);
    expect(made('NetworkPolicy')).toEqual([...names, 'migration'].sort());
    expect(made('Service')).toEqual(['lcm-api']);
  });

  it('runs every container as Pod Security’s "restricted" wants it, on a root that nobody writes to, with a limit of memory', async () => {
    for (const args of [URL, ['--values', await all()]])
      for (const [part, pod] of podsOf(objectsIn(await rendered(...args)))) {
        expect([part, pod.securityContext]).toEqual([
          part,
          expect.objectContaining({ runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } }),
        ]);
        expect([part, pod.automountServiceAccountToken]).toEqual([part, false]);
        for (const { securityContext, resources } of pod.containers) {
          expect([part, securityContext]).toEqual([
            part,
            { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          ]);
          expect(resources.requests.cpu, part).toBeDefined();
          expect(resources.limits.memory, part).toBeDefined();
        }
      }
  });

  it('mounts for each service its own secrets and no other’s, from where they are said to be', async () => {
    const compose = await readFile(join(root, 'docker-compose.yml'), 'utf8');
    const mounted = new Map(
      podsOf(objectsIn(await rendered('--values', await all()))).map(([part, { volumes }]) => [
        part,
        volumes
          .filter(({ name }) => name === 'secrets')
          .flatMap(({ projected }) => projected?.sources ?? [])
          .map(({ secret }) => `${secret?.name ?? ''} ${secret?.items.map(({ key, path }) => `${key} ${path}`).join() ?? ''}`),
      ]),
    );
    for (const name of names) {
      const [, list = ''] = new RegExp(`^  ${name}:\\n(?:    .*\\n)*?    secrets: \\[(.*)\\]`, 'm').exec(compose) ?? [];
      const wanted = list.split(', ').map((secret) => (secret === 'database-url' ? 'windlass-db-app uri database-url' : `windlass-secrets ${secret} ${secret}`)); // prettier-ignore
      expect([name, mounted.get(name)?.sort()]).toEqual([name, wanted.sort()]);
    }
    expect(mounted.get('migration')).toEqual([
      'windlass-db-app uri database-url',
      'windlass-database-admin database-admin-url database-admin-url',
    ]);
  });

  it('probes start, life and readiness of every service, and names no variable twice', async () => {
    for (const [part, { containers }] of podsOf(objectsIn(await rendered('--values', await all())))) {
      if (part === 'migration') continue;
      for (const { env, ...probes } of containers) {
        expect([part, probes]).toEqual([part, expect.objectContaining({ startupProbe: expect.anything() as object, livenessProbe: expect.anything() as object, readinessProbe: expect.anything() as object })]); // prettier-ignore
        const given = env.map(({ name }) => name);
        expect([part, given.filter((name, at) => given.indexOf(name) !== at)]).toEqual([part, []]);
        expect([part, env.find(({ name }) => name === 'LCM_MAX_PACKAGE_BYTES')?.value]).toEqual([part, '1000000']);
      }
    }
  });

  it('lets PostgreSQL be reached by those alone that hold its password, and pods of the cluster by nobody where its networks are named', async () => {
    const policies = objectsIn(await rendered('--values', await all())).filter(({ kind }) => kind === 'NetworkPolicy');
    const holders = policies.filter(({ spec }) => spec.egress.some(({ ports }) => ports?.some(({ port }) => port === 6432)));
    const core = SERVICES.filter((service) => service.core).map(({ name }) => name);
    expect(holders.map(partOf).sort()).toEqual([...core, 'migration'].sort());
    for (const policy of policies) {
      expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress']);
      expect(policy.spec.podSelector.matchLabels['app.kubernetes.io/component']).toBe(partOf(policy));
      const blocks = policy.spec.egress.flatMap(({ to = [] }) =>
        to.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock])),
      );
      const excepted = [
        { cidr: '0.0.0.0/0', except: ['10.96.0.0/12'] },
        { cidr: '::/0', except: ['fd00::/64'] },
      ];
      expect([partOf(policy), blocks]).toEqual([partOf(policy), partOf(policy) === 'migration' ? [] : excepted]);
    }
    const standard = objectsIn(await rendered(...URL)).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(standard.filter(({ spec }) => spec.ingress.length > 0).map(partOf)).toEqual(['lcm-api']);
  });

  it('lets every service reach a collector of traces that is named, and the migration not', async () => {
    const policies = objectsIn(await rendered('--values', await all())).filter(({ kind }) => kind === 'NetworkPolicy');
    for (const policy of policies)
      expect([partOf(policy), JSON.stringify(policy.spec).includes('"app":"collector"')]).toEqual([
        partOf(policy),
        partOf(policy) !== 'migration',
      ]);
    expect(await rendered(...URL)).not.toContain('4318');
  });

  it('leaves the number of replicas to the autoscaler where there is one', async () => {
    const objects = objectsIn(await rendered('--values', await all()));
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler').map(partOf).sort()).toEqual([...names].sort()); // prettier-ignore
    for (const { kind, spec } of objects) if (kind === 'Deployment') expect(spec.replicas).toBe(undefined);
    const infra = objectsIn(await rendered(...URL, '--set', 'services.infra-driver.replicas=5')).find((each) => each.kind === 'Deployment' && partOf(each) === 'infra-driver'); // prettier-ignore
    expect(infra?.spec.replicas).toBe(5);
  });

  it('scales by steps that could be claimed where it is told so, those services alone that run steps', async () => {
    const scalers = (text: string) => objectsIn(text).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const bySteps = (text: string) =>
      scalers(text).filter(({ spec }) => JSON.stringify(spec).includes('windlass_claimable_steps'));
    const told = bySteps(await rendered('--values', await all()));
    expect(told.map(partOf).sort()).toEqual(['infra-driver', 'k8s-mgmt', 'registry-mgmt', 'saga-coordinator', 'storage-mgmt']);
    for (const one of told) {
      const external = {
        metric: { name: 'windlass_claimable_steps', selector: { matchLabels: { worker_service: partOf(one) } } },
        target: { type: 'AverageValue', averageValue: '5' },
      };
      expect((one.spec as unknown as { metrics: object[] }).metrics).toContainEqual({ type: 'External', external });
    }
    expect(bySteps(await rendered(...URL, '--set', 'autoscaling.enabled=true'))).toEqual([]);
    expect(scalers(await rendered(...URL))).toEqual([]);
  });

  it('scales by such steps alone where the processor is not to count, as fast as it is told, and leaves other services their replicas', async () => {
    const told = `${URL[1]},autoscaling.enabled=true,autoscaling.targetCPUUtilizationPercentage=0,autoscaling.targetClaimableSteps=5,autoscaling.behavior.scaleDown.stabilizationWindowSeconds=30`;
    const objects = objectsIn(await rendered('--set', told));
    const scalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scalers).toHaveLength(5);
    for (const one of scalers) {
      const { metrics, behavior } = one.spec as unknown as { metrics: { type: string }[]; behavior: object };
      expect([partOf(one), metrics.map(({ type }) => type)]).toEqual([partOf(one), ['External']]);
      expect(behavior).toEqual({ scaleDown: { stabilizationWindowSeconds: 30 } });
    }
    // One without a metric would be scaled by the processor after all: that is Kubernetes' default.
    const fixed = objects.filter(({ kind, spec }) => kind === 'Deployment' && spec.replicas === 2);
    expect(fixed.map(partOf).sort()).toEqual(['lcm-api', 'vim-registry']);
  });

  it('migrates before everything else, at each installation and upgrade, and not at all where it is told so', async () => {
    const [job] = objectsIn(await rendered(...URL)).filter(({ kind }) => kind === 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const without = objectsIn(await rendered(...URL, '--set', 'migration.enabled=false'));
    expect(without.filter(({ kind }) => kind === 'Job')).toEqual([]);
  });

  it('refuses values that it does not know, a secret among them, and says where', async () => {
    expect(await refused()).toMatch(/publicUrl/);
    expect(await refused(...URL, '--set', 'services.lcm-api.config.LCM_TOKEN=abc')).toMatch(/LCM_TOKEN|lcm-api\/config/);
    expect(await refused(...URL, '--set', 'replicaCount=3')).toMatch(/replicaCount/);
    expect(await refused(...URL, '--set', 'config.ENGINE_LIMIT_VIM=5')).toMatch(/ENGINE_LIMIT_VIM/);
    expect(await refused(...URL, '--kube-version', '1.29.0')).toMatch(/kubeVersion|incompatible/);
  });
});
