import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes, type JsonObject } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { HostFleet, installHostPackages, sharedCache, standinPackages } from '@windlass/lab';
import { onboard } from '@windlass/windlass';
import { expect } from 'vitest';
import { home, startProduct, type Product } from '../../support/deployed.js';
import { openStackVim } from '../../support/openstack-vim.js';
import type { ShownVnfc } from '../../support/shown-vnfc.js';
import { required, type ProjectUser } from '../testing/real-connection.js';
import { LabProject } from './lab-project.js';
import { MachinesBehindPorts } from './machines-behind-ports.js';

export type Flavour = 'complex' | 'podaffinity';

type Command = readonly [string, ...string[]];

const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'] as const;
const LIST_MEMBERS =
  'crictl exec $(crictl ps -q --name etcd --state Running | head -n 1) etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list -w simple';

const quiet = (): void => undefined;

export const serverOf = ({ computeResource }: ShownVnfc): string => computeResource.resourceId;

const NOTHING = { stacks: 0, servers: 0, server_groups: 0, ports: 0, images: 0 };

/** The sample package in the whole product. The VIM is a project of the real OpenStack, whose servers are machines of the lab. */
export class ClusterOnOpenStack {
  /** What ends each thing that was started: called from the last to the first. */
  readonly #ends: (() => Promise<unknown>)[] = [];
  #fleet!: HostFleet;
  #project!: LabProject;
  #product!: Product;
  #vnfdId!: string;
  /** The path of the instance that the methods are about. */
  #path = '';

  private constructor(private readonly flavour: Flavour) {}

  static async start(flavour: Flavour): Promise<ClusterOnOpenStack> {
    const cluster = new ClusterOnOpenStack(flavour);
    await cluster.#start().catch(async (error: unknown) => {
      await cluster.end();
      throw error;
    });
    return cluster;
  }

  get project(): LabProject {
    return this.#project;
  }

  get product(): Product {
    return this.#product;
  }

  async #start(): Promise<void> {
    await installHostPackages(quiet);
    const dataDir = evidence.folder(await mkdtemp(join(tmpdir(), 'windlass-openstack-')));
    this.#ends.push(() => rm(dataDir, { recursive: true, force: true }));
    this.#fleet = await HostFleet.start({
      dataDir: join(dataDir, 'lab'),
      cacheDir: sharedCache(),
      log: quiet,
      standins: await standinPackages(),
    });
    this.#ends.push(() => this.#fleet.stop());
    this.#project = await LabProject.make(this.#fleet.network);
    this.#ends.push(() => this.#project.remove());
    const machines = MachinesBehindPorts.begin(this.#project, this.#fleet);
    this.#ends.push(() => machines.end());
    this.#product = await startProduct(dataDir, () => ({
      KUBERNETES_APT_URL: 'none',
      STACK_ABSENT_FOR: '5s',
      VIM_ALLOW: '127.0.0.0/8',
    }));
    this.#ends.push(() => this.#product.close());
    this.#vnfdId = await this.#onboard(join(dataDir, 'package'));
  }

  async end(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#ends.reverse()) await end().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
  }

  /** Onboards the sample, with its virtual address on the project's network. */
  async #onboard(folder: string): Promise<string> {
    await cp(join(home, 'samples/kubernetes'), folder, { recursive: true });
    const top = join(folder, 'BaseHOT', this.flavour, `${this.flavour}_hot_top.yaml`);
    await writeFile(top, (await readFile(top, 'utf8')).replace('network: net0', `network: ${this.#project.networkName}`));
    return String((await onboard(this.#product.api, folder)).vnfdId);
  }

  /** Registers the OpenStack with the credentials of a user. Returns the VIM's id. */
  async vimOf({ name, password, project: projectName }: ProjectUser): Promise<string> {
    const access = { url: required('OS_AUTH_URL'), tenant: { user: name, password, project: projectName } };
    const { vim } = await this.#product.api.post<{ vim: { id: string } }>('/v1.0/vims', { vim: openStackVim(name, access) });
    return vim.id;
  }

  /** Instantiates the sample's request in a new instance, which the methods are about from now on. @param vimName the name of its cluster as a VIM */
  async instantiate(vimId: string, vimName: string): Promise<JsonObject> {
    const { id } = await this.#product.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId: this.#vnfdId });
    this.#path = `/vnflcm/v1/vnf_instances/${id}`;
    const text = await readFile(join(home, `samples/requests/instantiate-kubernetes-${this.flavour}.json`), 'utf8');
    const own = text.replaceAll('${NETWORK_ID}', this.#project.networkName).replace(`kubernetes_vim_${this.flavour}`, vimName);
    const vims = { vimConnectionInfo: [{ id: vimId, vimId, vimType: 'openstack' }] };
    return this.operate('instantiate', { ...(JSON.parse(own) as JsonObject), ...vims });
  }

  /** Carries out an operation. @returns the operation at rest */
  async operate(task: string, body: JsonObject): Promise<JsonObject> {
    const accepted = await this.#product.api.accept(`${this.#path}/${task}`, body);
    return this.#product.api.follow(accepted, minutes(20), quiet);
  }

  /** Scales by one worker. */
  scale(type: 'SCALE_OUT' | 'SCALE_IN'): Promise<JsonObject> {
    return this.operate('scale', { type, aspectId: 'worker_instance', numberOfSteps: 1 });
  }

  /** The VNFCs of the instance. */
  async vnfcs(): Promise<ShownVnfc[]> {
    const { instantiatedVnfInfo: shown } = await this.#product.api.get<{
      instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] };
    }>(this.#path);
    return shown.vnfcResourceInfo;
  }

  /** Kills a VNFC's kubelet, and heals the VNFC. @returns the operation, and the servers that are gone */
  async heals({ id, computeResource: { resourceId } }: ShownVnfc): Promise<{ operation: JsonObject; gone: string[] }> {
    const before = await this.vnfcs();
    await this.run(resourceId, ['systemctl', 'kill', '--signal=KILL', 'kubelet']);
    const operation = await this.operate('heal', { vnfcInstanceId: [id], cause: 'its kubelet is dead' });
    const after = (await this.vnfcs()).map(serverOf);
    return { operation, gone: before.map(serverOf).filter((server) => !after.includes(server)) };
  }

  /** Checks that the project is empty. */
  async expectNothingLeft(): Promise<void> {
    expect(await this.#project.counts()).toEqual(NOTHING);
  }

  addressOf(vnfc: ShownVnfc): string {
    return this.#fleet.addresses(serverOf(vnfc))[0] ?? '';
  }

  /** Runs a command on a server's machine. @returns the output */
  async run(serverId: string, argv: Command): Promise<string> {
    const { status, stdout, stderr } = await this.#fleet.exec(serverId, [...argv]);
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status} on server ${serverId}: ${stderr}`);
    return stdout.trim();
  }

  async atFirstMaster(argv: Command): Promise<string> {
    return this.run(serverOf((await this.vnfcs()).find(({ vduId }) => vduId === 'masterNode')!), argv);
  }

  /** Address, state and label `CIS-node` of each node. */
  async nodes(): Promise<string[]> {
    const fields = '{.status.addresses[0].address} {.status.conditions[?(@.type=="Ready")].status} {.metadata.labels.CIS-node}';
    const path = `jsonpath={range .items[*]}${fields}{"\\n"}{end}`;
    const rows = await this.atFirstMaster([...KUBECTL, 'get', 'nodes', '-o', path]);
    return rows.split('\n').map((line) => line.trim()).sort(); // prettier-ignore
  }

  /** The addresses of etcd's members, each with whether it is a learner. */
  async members(): Promise<string[]> {
    const rows = (await this.atFirstMaster(['bash', '-c', LIST_MEMBERS])).split('\n').map((line) => line.split(', '));
    return rows.map((row) => `${new URL(row[3] ?? '').hostname} ${row[5] ?? ''}`).sort();
  }
}
