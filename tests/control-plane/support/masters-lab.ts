import { rm } from 'node:fs/promises';
import { FakeVims, packagesOf } from '@windlass/driver-kit/testing';
import { minutes, seconds, waitUntil, type Json, type JsonObject } from '@windlass/foundation';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { INSTANCE, vnfc } from '@windlass/k8s-mgmt/testing';
import {
  HostFleet,
  installHostPackages,
  realKubernetes,
  sharedCache,
  standinPackages,
  type Finished,
  type HostFleetOptions,
} from '@windlass/lab';
import { MemoryHostKeys, RemoteHosts } from '@windlass/remote-host';
import type { Vnfc } from '@windlass/mgmt-driver';
import type { BoundAction, StepRun } from '@windlass/saga';
import { evidence } from '@windlass/foundation/testing';
import { rigFolder } from '../../support/rig-folder.js';

const ETCD_PKI = ['ca.crt', 'healthcheck-client.crt', 'healthcheck-client.key']
  .map((file, n) => `--${['cacert', 'cert', 'key'][n] ?? ''}=/etc/kubernetes/pki/etcd/${file}`)
  .join(' ');

/** Which Kubernetes the VMs get. */
export type Kind = 'standins' | 'real';

/** A VM that is, was or becomes a master, as a step's input has it. */
export interface Master {
  name: string;
  address: string;
  serverId: string;
  input: JsonObject;
}

/** VMs of the lab with everything but a cluster on them, and the driver's own actions to make them masters, by real SSH. */
export class MastersLab {
  readonly lines: string[] = [];
  #epoch = 0;

  private constructor(
    readonly fleet: HostFleet,
    private readonly actions: readonly BoundAction[],
    readonly version: string,
    readonly masters: readonly Master[],
    private readonly clean: () => Promise<void>,
  ) {}

  static async start(kind: Kind, count: number): Promise<MastersLab> {
    const log = (line: string): void => void process.stderr.write(`${line}\n`);
    await installHostPackages(log);
    const dataDir = await rigFolder('windlass-masters-');
    const programs: Pick<HostFleetOptions, 'standins' | 'kubernetes'> =
      kind === 'real'
        ? { standins: [], kubernetes: await realKubernetes({ cacheDir: sharedCache(), log }) }
        : { standins: await standinPackages() };
    const fleet = await HostFleet.start({ dataDir, cacheDir: sharedCache(), log, ...programs });
    const hosts = new RemoteHosts({ hostKeys: new MemoryHostKeys() });
    const clean = async (): Promise<void> => {
      hosts.close();
      await fleet.stop();
      await rm(dataDir, { recursive: true });
    };
    try {
      const kubernetesVersion = kind === 'real' ? '1.34.4' : defaultSettings.kubernetesVersion;
      const parts = k8sParts({ ...defaultSettings, kubernetesVersion, kubernetesAptUrl: undefined });
      const actions = parts.actions({ hosts, vims: new FakeVims(() => INSTANCE), packages: packagesOf({}) });
      const masters = Array.from({ length: count }, (_, n) => masterOf(fleet, n));
      const lab = new MastersLab(fleet, actions, kubernetesVersion, masters, clean);
      await Promise.all(masters.map((master) => lab.boot(master)));
      return lab;
    } catch (error) {
      await evidence.setAside(dataDir);
      await clean();
      throw error;
    }
  }

  /** Another VM in the place of a master's, at its address. */
  replaced({ address, name }: Master): Master {
    return asInput({ ...vnfc('master', this.masters.length + 1, address), name }, address);
  }

  /** Boots a master's VM, fresh, and brings it so far that kubeadm can run. */
  async boot(master: Master): Promise<void> {
    const { serverId, address, name } = master;
    const mac = `fa:16:3e:00:02:${Number(address.split('.').at(-1)).toString(16).padStart(2, '0')}`;
    const nics = [{ mac, address, prefixLength: 24, allowedAddresses: [] }];
    await this.fleet.boot({ serverId, name, imageName: 'debian-12', nics, volumes: [] });
    await this.fleet.ready(serverId);
    const kubernetes = { version: this.version, aptUrl: null };
    const runtime = { pauseImage: 'registry.k8s.io/pause:3.10.1', package: 'containerd', source: null, leastContainerd: 1 };
    await this.perform('prepare-node', master);
    await this.perform('install-runtime', master, { runtime });
    await this.perform('install-kubernetes', master, { kubernetes });
  }

  /** Makes the first of them a cluster with its network. */
  async begin(): Promise<void> {
    const [first] = this.masters;
    await this.perform('init-control-plane', first!, { kubernetes: { version: this.version, aptUrl: null } });
    await this.perform('install-network', first!);
  }

  /** Applies an action once, as a worker would in an attempt of its own. */
  async perform(name: string, node: Master, more: JsonObject = {}): Promise<Json | undefined> {
    return this.apply(name, this.runOf(name, node, more));
  }

  async apply(name: string, run: StepRun): Promise<Json | undefined> {
    return (await this.#action(name).apply(run)) as Json | undefined;
  }

  async isDone(name: string, node: Master, more: JsonObject = {}): Promise<boolean> {
    return (await this.#action(name).check?.(this.runOf(name, node, more))) !== false;
  }

  async undo(name: string, node: Master, more: JsonObject = {}): Promise<void> {
    await this.#action(name).undo?.({ ...this.runOf(name, node, more), phase: 'undo' });
  }

  runOf(name: string, node: Master, more: JsonObject = {}, signal = new AbortController().signal): StepRun {
    const epoch = ++this.#epoch;
    return {
      operationId: '00000000-0000-4000-8000-0000000000aa',
      stepId: `${name}:${node.name}`,
      epoch,
      attempt: 1,
      attemptEpoch: epoch,
      resumed: false,
      phase: 'do',
      target: node.name,
      tenant: 'demo',
      input: { instance: INSTANCE, cluster: this.#cluster, node: node.input, ...more },
      signal,
      assertLease: () => undefined,
      leaseLeft: () => seconds(60),
      onlyWaits: () => undefined,
      progress: (line) => void this.lines.push(`${node.name} ${name}: ${line}`),
    };
  }

  /** The same attempt, in the hands of another worker. */
  takenOver(run: StepRun): StepRun {
    return { ...run, epoch: ++this.#epoch, resumed: true, signal: new AbortController().signal };
  }

  /** A program on a VM, past the network. */
  on({ serverId }: Master, ...argv: string[]): Promise<Finished> {
    return this.fleet.exec(serverId, argv, { within: minutes(3) });
  }

  /** What a line of shell prints on a VM, where it ends well. */
  async said(master: Master, script: string): Promise<string> {
    const { status, stdout, stderr } = await this.on(master, 'sh', '-c', script);
    if (status !== 0) throw new Error(`${script} on ${master.name} ended with ${status ?? 'a signal'}: ${stderr}`);
    return stdout.trim();
  }

  kubectl(master: Master, args: string): Promise<string> {
    return this.said(master, `kubectl --kubeconfig=/etc/kubernetes/admin.conf --server=https://${master.address}:6443 ${args}`);
  }

  /** Peer addresses of etcd's voting members, by the etcd of one master; learners and those that never started stand with a word. */
  async members(through: Master): Promise<string[]> {
    const lines = (await this.etcdctl(through, 'member list')).split('\n').map((line) => line.split(', '));
    const wordsOf = ([, state, , peer = '', , learner]: string[]): string =>
      [
        peer.replace(/^https:\/\/|:\d+$/g, ''),
        ...(state === 'started' ? [] : [state ?? '']),
        ...(learner === 'true' ? ['learner'] : []),
      ].join(' ');
    return lines.map(wordsOf).sort();
  }

  /** What etcdctl prints in the etcd container of a master. */
  etcdctl(through: Master, args: string, endpoints = ['127.0.0.1']): Promise<string> {
    const urls = endpoints.map((address) => `https://${address}:2379`).join(',');
    const crictl = 'crictl --runtime-endpoint unix:///run/containerd/containerd.sock';
    return this.said(through, `${crictl} exec "$(${crictl} ps -q --name etcd)" etcdctl ${ETCD_PKI} --endpoints=${urls} ${args}`);
  }

  /** The address of etcd's leader. */
  async leader(through: Master): Promise<string> {
    const voting = (await this.members(through)).filter((address) => !address.includes(' '));
    const said = await this.etcdctl(through, 'endpoint status --write-out=json', voting);
    const member = /"Endpoint":"https:\/\/([\d.]+):2379","Status":\{"header":\{[^}]*"member_id":(\d+)[^}]*\}.*?"leader":(\d+)/g;
    for (const [, address = '', id, leader] of said.matchAll(member)) if (id === leader) return address;
    throw new Error(`no member leads: ${said}`);
  }

  /** Has another master lead. */
  async lead(master: Master, through: Master): Promise<void> {
    const list = await this.etcdctl(through, 'member list');
    const id =
      list
        .split('\n')
        .find((line) => line.includes(`//${master.address}:2380`))
        ?.split(',')[0] ?? '';
    const leader = await this.leader(through);
    if (leader !== master.address) await this.etcdctl(through, `move-leader ${id}`, [leader]);
  }

  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    return waitUntil(
      async (seen) => {
        try {
          return await look();
        } catch (error) {
          seen(error instanceof Error ? error.message : String(error));
          return undefined;
        }
      },
      { for: what, within: minutes(3), every: seconds(0.5) },
    );
  }

  end(): Promise<void> {
    return this.clean();
  }

  #action(name: string): BoundAction {
    const action = this.actions.find(({ key }) => key.startsWith(`${name}@`));
    if (action === undefined) throw new Error(`the driver has no action ${name}`);
    return action;
  }

  /** The first master's address is the end point: there is no load balancer here. */
  get #cluster(): JsonObject {
    return {
      address: this.masters[0]?.address ?? '',
      publicAddress: null,
      podCidr: '10.244.0.0/16',
      serviceCidr: '10.96.0.0/12',
      nodes: this.masters.map(({ name, address }) => ({ name, role: 'master', address })),
      noProxy: '',
    };
  }
}

function masterOf(fleet: HostFleet, n: number): Master {
  const address = fleet.network.firstAddress.replace(/\d+$/, String(10 + n));
  return asInput(vnfc('master', n, address), address);
}

function asInput(of: Vnfc, address: string): Master {
  const input = {
    name: of.name,
    vnfc: of,
    sshCp: 'masterNode_CP1',
    role: 'master',
    address,
    username: 'ubuntu',
    password: 'ubuntu',
  };
  return { name: of.name, address, serverId: of.resourceId, input: input as unknown as JsonObject };
}
