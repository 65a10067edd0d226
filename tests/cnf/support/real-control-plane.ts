import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxiosInstance } from 'axios';
import { millis, minutes, waitUntil, type JsonObject } from '@windlass/foundation';
import { endedWith, evidence, freePort, onFreePort } from '@windlass/foundation/testing';
import { realKubernetes, sharedCache } from '@windlass/lab';
import { rigFolder } from '../../support/rig-folder.js';
import { clientOf, type CnfCluster } from './cluster.js';

const VERSION = 'v1.34.4';

interface RealPod {
  metadata: { name: string; namespace: string; uid: string; deletionTimestamp?: string };
  spec: { nodeName?: string; containers: { name: string; image: string }[] };
  status: { phase?: string };
}

/** A program of the control plane. */
interface Program {
  name: string;
  child: ChildProcess;
  /** The end of the program's output. */
  said: string;
  /** Whether the program has ended by itself, and its output was read to the end. */
  ended: boolean;
}

/** The ports of etcd's clients and peers, the API server and the controllers. */
type Ports = Readonly<Record<'client' | 'peer' | 'secure' | 'controllers', number>>;

/**
 * etcd, API server and controllers of a real Kubernetes on loopback. A stand-in for the kubelet reports each pod as running, and lets
 * deleted pods go. The real programs make, refuse, own and delete objects, and no container runs.
 */
export class RealControlPlane implements CnfCluster {
  #running = true;
  #kubelet: Promise<void> = Promise.resolve();
  #api: ChildProcess | undefined;
  readonly api: AxiosInstance;

  private constructor(
    readonly url: string,
    readonly ca: string,
    readonly token: string,
    private readonly folder: string,
    private readonly programs: Program[],
    private readonly startApi: () => ChildProcess,
  ) {
    this.api = clientOf(url, ca, token);
  }

  static async start(): Promise<RealControlPlane> {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    const { binaries } = await realKubernetes({ cacheDir: sharedCache(), log });
    return onFreePort(freePorts, async (ports) => {
      const folder = await rigFolder('windlass-cnf-');
      const programs: Program[] = [];
      try {
        return await RealControlPlane.#startOn(ports, binaries, folder, programs);
      } catch (error) {
        await killed(programs);
        await evidence.setAside(folder);
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    });
  }

  static async #startOn(
    { client, peer, secure, controllers }: Ports,
    binaries: string,
    folder: string,
    programs: Program[],
  ): Promise<RealControlPlane> {
    const token = randomBytes(24).toString('hex');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const at = (name: string): string => join(folder, name);
    await writeFile(at('sa.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
    await writeFile(at('sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    await writeFile(at('tokens.csv'), `${token},admin,admin,"system:masters"\n`);
    const run = (name: string, args: string[]): ChildProcess => {
      const child = spawn(join(binaries, name), args, { stdio: ['ignore', 'pipe', 'pipe'] });
      const file = createWriteStream(at(`${name.replace('/', '-')}.log`), { flags: 'a' });
      child.stdout.pipe(file);
      child.stderr.pipe(file);
      const program: Program = { name, child, said: '', ended: false };
      child.stderr.on('data', (chunk: Buffer) => (program.said = `${program.said}${chunk.toString()}`.slice(-10_000)));
      child.once('close', (status) => (program.ended = status !== null));
      programs.push(program);
      return child;
    };
    const etcd = `http://127.0.0.1:${client}`;
    run('etcd', [
      `--data-dir=${at('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      '--unsafe-no-fsync',
    ]);
    const startApi = (): ChildProcess =>
      run(`${VERSION}/kube-apiserver`, [
        `--etcd-servers=${etcd}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${secure}`,
        `--cert-dir=${at('pki')}`,
        '--service-cluster-ip-range=10.96.0.0/16',
        '--authorization-mode=RBAC',
        `--token-auth-file=${at('tokens.csv')}`,
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-signing-key-file=${at('sa.key')}`,
        `--service-account-key-file=${at('sa.pub')}`,
      ]);
    const api = startApi();
    const url = `https://127.0.0.1:${secure}`;
    const certificate = await whileRunning(programs, () => readFile(at('pki/apiserver.crt'), 'utf8').catch(() => undefined), {
      for: 'the API server to have made its certificate',
      within: minutes(1),
      every: millis(100),
    });
    const plane = new RealControlPlane(url, certificate, token, folder, programs, startApi);
    plane.#api = api;
    await plane.#answers();
    await writeFile(at('kubeconfig'), kubeconfig(url, certificate, token));
    run(`${VERSION}/kube-controller-manager`, [
      `--kubeconfig=${at('kubeconfig')}`,
      `--service-account-private-key-file=${at('sa.key')}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${controllers}`,
      '--leader-elect=false',
      '--use-service-account-credentials=false',
    ]);
    plane.#kubelet = plane.#standForKubelet();
    await whileRunning(
      programs,
      async () => ((await plane.api.get('/api/v1/namespaces/default/serviceaccounts/default')).status === 200 ? true : undefined),
      {
        for: 'the controllers to have made the default account',
        within: minutes(2),
        every: millis(200),
      },
    );
    return plane;
  }

  /** Kills the API server, and starts it again. */
  async killApi(): Promise<void> {
    const api = this.#api;
    if (api === undefined) throw new Error('the API server was never started');
    api.kill('SIGKILL');
    await once(api, 'exit');
    this.#api = this.startApi();
    await this.#answers();
  }

  async close(): Promise<void> {
    this.#running = false;
    await this.#kubelet;
    await killed(this.programs);
    await rm(this.folder, { recursive: true, force: true });
  }

  #answers(): Promise<true> {
    const look = async (): Promise<true | undefined> => {
      const answer = await this.api.get('/readyz').catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    };
    return whileRunning(this.programs, look, { for: 'the API server to be ready', within: minutes(2), every: millis(200) });
  }

  async #standForKubelet(): Promise<void> {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } };
    await this.api.post('/api/v1/nodes', node);
    while (this.#running) {
      const { data } = await this.api
        .get<{ items?: RealPod[] }>('/api/v1/pods')
        .catch(() => ({ data: {} as { items?: RealPod[] } }));
      for (const pod of data.items ?? []) await this.#seeTo(pod).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #seeTo({ metadata: { name, namespace, uid, deletionTimestamp }, spec, status }: RealPod): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    if (deletionTimestamp !== undefined) {
      await this.api.delete(path, { data: { gracePeriodSeconds: 0, preconditions: { uid } } });
      return;
    }
    if (spec.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node1' };
      await this.api.post(`${path}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target });
      return;
    }
    if (status.phase === 'Running') return;
    const since = new Date().toISOString();
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: since,
    }));
    const containerStatuses = spec.containers.map((container) => ({
      ...{ name: container.name, image: container.image, imageID: '', ready: true, restartCount: 0 },
      state: { running: { startedAt: since } },
    }));
    const body: JsonObject = {
      status: { phase: 'Running', podIP: '10.244.0.7', startTime: since, conditions, containerStatuses },
    };
    await this.api.patch(`${path}/status`, body, { headers: { 'Content-Type': 'application/merge-patch+json' } });
  }
}

/** Waits for a condition, as long as the programs run. */
function whileRunning<T>(
  programs: readonly Program[],
  look: () => Promise<T | undefined>,
  options: Parameters<typeof waitUntil>[1],
): Promise<T> {
  return waitUntil(() => {
    const gone = programs.find(({ ended }) => ended);
    if (gone !== undefined) throw endedWith(gone.name, gone.said);
    return look();
  }, options);
}

async function killed(programs: readonly Program[]): Promise<void> {
  for (const { child } of programs.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function freePorts(): Promise<Ports> {
  return { client: await freePort(), peer: await freePort(), secure: await freePort(), controllers: await freePort() };
}

const kubeconfig = (server: string, ca: string, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'here', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
  });

/**
 * The limit for an operation on the real control plane. After a kill of the API server, the controllers reconnect after growing pauses: a whole
 * story of a kind took 32, then 67, then 94 s on a quiet machine, and one scale of the third over two minutes at a load of 18.
 */
export const REAL_WITHIN = minutes(5);
