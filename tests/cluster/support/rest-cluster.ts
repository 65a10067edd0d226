import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { operationWarnings } from '@windlass/windlass';
import { expect } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../../support/deployed.js';
import { Reaper } from '../../support/killed-services.js';
import { nodesCome } from '../../support/nodes-come.js';
import { ONCE_CLEANED_UP } from '../../support/cleaned-up.js';

export type Flavour = 'simple' | 'complex' | 'podaffinity';

/** A VM of the cluster, as the instance and the lab know it. */
export interface Machine {
  /** The VNFC's id. */
  id: string;
  role: 'master' | 'worker';
  serverId: string;
  address: string;
  /** The node's name. */
  name: string;
}

/** An operation that has ended. */
export interface Ended {
  /** The path of the operation occurrence. */
  path: string;
  opOcc: JsonObject;
  warnings: string[];
}

const INSTANCE_PORT = 16_443;
const KUBECTL = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf'];

const LIST_MEMBERS =
  'crictl exec $(crictl ps -q --name etcd --state Running | head -n 1) etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list -w simple';

/** The jsonpath of a line for each node. */
const ROW =
  '{.metadata.name} {.status.addresses[0].address} {.status.conditions[?(@.type=="Ready")].status} {.metadata.labels.CIS-node}';

/** A cluster of a flavour of the sample, which is operated by requests, and inspected by its own kubectl, its etcd and the VIM. */
export class RestCluster {
  private constructor(
    readonly deployed: Deployed,
    readonly path: string,
    readonly request: JsonObject,
    /** The contents of the lab's OpenStack before the cluster. */
    private readonly before: string,
  ) {}

  /** @param environment the environment of services, read again at each start of a service */
  static async start(
    flavour: Flavour,
    lab: Parameters<typeof startDeployed>[1] = {},
    environment: Record<string, string> = {},
  ): Promise<RestCluster> {
    // A late renewal on a busy machine is a loss, and no test here is about losses.
    Object.assign(environment, { ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '20' });
    const deployed = await startDeployed(environment, lab);
    const { path, request } = await newCluster(deployed, flavour);
    return new RestCluster(deployed, path, request, JSON.stringify(deployed.lab.emulator.inventory()));
  }

  /** Another instance of the package. @param vimName the name of its cluster as a VIM */
  async another(flavour: Flavour, vimName: string): Promise<RestCluster> {
    const { path, request } = await newCluster(this.deployed, flavour);
    const params = request.additionalParams as { k8s_cluster_installation_param: JsonObject };
    params.k8s_cluster_installation_param.vim_name = vimName;
    return new RestCluster(this.deployed, path, request, this.before);
  }

  instantiate(kills: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.operate('instantiate', this.request, kills);
  }

  /** Terminates the cluster, and checks that nothing of it is left. @param others names of clusters that stay */
  async terminate(others: readonly string[] = []): Promise<Ended> {
    const ended = await this.operate('terminate', { terminationType: 'FORCEFUL' });
    if (others.length === 0) await this.leftNothing();
    expect((await this.vims()).map(({ name }) => name)).toEqual(others);
    return ended;
  }

  /** Checks that the VIM is as before. */
  async leftNothing(): Promise<void> {
    await expect.poll(() => JSON.stringify(this.deployed.lab.emulator.inventory()), ONCE_CLEANED_UP).toBe(this.before);
  }

  scale(
    role: Machine['role'],
    type: 'SCALE_OUT' | 'SCALE_IN',
    more: JsonObject = {},
    kills: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    return this.operate('scale', { type, aspectId: `${role}_instance`, ...more }, kills);
  }

  /** Heals machines. @param machines none: the whole instance */
  heal(machines: readonly Machine[], kills: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.operate('heal', machines.length === 0 ? {} : { vnfcInstanceId: machines.map(({ id }) => id) }, kills);
  }

  /** Has the cluster's certificates renewed. */
  async renew(kills: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const id = this.path.split('/').at(-1) ?? '';
    const accepted = await this.deployed.api.accept(`/windlass/v1/vnf_instances/${id}/certificates`, { task: 'renew' });
    const ended = await this.#rests(accepted, kills);
    expect(ended.opOcc, JSON.stringify(ended.opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    return ended;
  }

  /**
   * Asks for an operation, and follows it until it is COMPLETED.
   * @param kills the action at whose step a service dies, by the service's name: each action must run
   */
  async operate(task: string, body: JsonObject, kills: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const ended = await this.operation(task, body, kills);
    expect(ended.opOcc, JSON.stringify(ended.opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    return ended;
  }

  /** Asks for an operation, and follows it until it rests in any state. */
  async operation(task: string, body: JsonObject, kills: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return this.#rests(await this.deployed.api.accept(`${this.path}/${task}`, body), kills);
  }

  /** Rolls a failed operation back. */
  async rolledBack({ path }: Ended): Promise<void> {
    await this.deployed.api.task(`${path}/rollback`, {});
    const { opOcc } = await this.#rests(path, {});
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'ROLLED_BACK' });
  }

  async #rests(path: string, kills: Readonly<Record<string, string>>): Promise<Ended> {
    const { api } = this.deployed;
    const reaper = new Reaper(this.deployed, kills);
    const opOcc = await api.follow(path, minutes(25), reaper.look);
    expect(await reaper.spared(), 'services that were not killed').toEqual([]);
    return { path, opOcc, warnings: await operationWarnings(api, path.split('/').at(-1) ?? '') };
  }

  async machines(): Promise<Machine[]> {
    const { instantiatedVnfInfo } = await this.deployed.api.get<{
      instantiatedVnfInfo: { vnfcResourceInfo: { id: string; vduId: string; computeResource: { resourceId: string } }[] };
    }>(this.path);
    return instantiatedVnfInfo.vnfcResourceInfo.map(({ id, vduId, computeResource: { resourceId: serverId } }) => {
      const role = vduId === 'masterNode' ? 'master' : 'worker';
      const address = this.deployed.lab.fleet.addresses(serverId)[0] ?? '';
      return { id, role, serverId, address, name: `${role}${address.split('.').at(-1) ?? ''}` };
    });
  }

  async of(role: Machine['role']): Promise<Machine[]> {
    return (await this.machines()).filter((machine) => machine.role === role);
  }

  /** Checks that instance, VIM, cluster and etcd have exactly so many masters and workers. @param labelled whether workers have their host's label */
  async agrees(masters: number, workers: number, { labelled = false } = {}): Promise<void> {
    const machines = await this.machines();
    const count = (role: Machine['role']): number => machines.filter((machine) => machine.role === role).length;
    expect({ masters: count('master'), workers: count('worker') }).toEqual({ masters, workers });
    const rows = machines.map(({ name, address, role, serverId }) => {
      const host = this.hostOf(serverId);
      return `${name} ${address} True ${labelled && role === 'worker' ? host : ''}`.trim();
    });
    const [asked] = machines.filter(({ role }) => role === 'master');
    await nodesCome(() => this.rows(asked!), rows.toSorted());
    const voters = machines.filter(({ role }) => role === 'master').map(({ name }) => `${name} false`);
    expect(await this.members(asked!)).toEqual(voters.sort());
  }

  /** The compute host of a server. @throws where the VIM has no such server */
  hostOf(serverId: string): string {
    const servers = this.deployed.lab.emulator.inventory().flatMap(({ servers }) => servers);
    const host = servers.find(({ id }) => id === serverId)?.host;
    if (host === undefined || host === null) throw new Error(`the VIM has no server ${serverId} on a host`);
    return host;
  }

  /** The nodes, seen from a master: name, address, whether Ready, the host's label. */
  async rows(from: Machine): Promise<string[]> {
    const argv = [...KUBECTL, 'get', 'nodes', '-o', `jsonpath={range .items[*]}${ROW}{"\\n"}{end}`];
    const lines = (await this.run(from, argv)).trim().split('\n');
    return lines.map((line) => line.trim()).sort();
  }

  /** etcd's members, seen from a master, each with whether it is a learner. */
  async members(from: Machine): Promise<string[]> {
    const lines = (await this.run(from, ['bash', '-c', LIST_MEMBERS])).trim().split('\n');
    return lines.map((line) => line.split(', ')).map((of) => `${of[2] ?? ''} ${of[5] ?? ''}`).sort(); // prettier-ignore
  }

  /** Runs a program on a machine, without the network. @throws where the program does not end with 0 */
  async run({ serverId, name }: Machine, argv: string[], input = ''): Promise<string> {
    const { status, stdout, stderr } = await this.deployed.lab.fleet.exec(serverId, argv, { input });
    if (status !== 0) throw new Error(`${argv.join(' ')} on ${name}: exit status ${String(status)}: ${stderr}`);
    return stdout;
  }

  /** The clusters that are registered as VIMs. */
  async vims(): Promise<{ id: string; name: string; auth_url: string }[]> {
    const { vims } = await this.deployed.api.get<{ vims: { id: string; name: string; type: string; auth_url: string }[] }>(
      '/v1.0/vims',
    );
    return vims.filter(({ type }) => type === 'kubernetes');
  }

  /** The address of the API by which the cluster is registered. */
  async address(): Promise<string> {
    const [vim] = await this.vims();
    const { hostname, port } = new URL(vim?.auth_url ?? '');
    expect(Number(port)).toBe(INSTANCE_PORT);
    return hostname;
  }

  /** Waits until exactly one master has the virtual address, and returns it: the address may move when a machine pauses. */
  async holder(): Promise<Machine> {
    const address = await this.address();
    const masters = await this.of('master');
    const look = ['sh', '-c', 'ip -4 addr | grep -c " $1/" || true', 'sh', address];
    return waitUntil(
      async (seen) => {
        const counts = await Promise.all(masters.map((master) => this.run(master, look).catch(() => '0')));
        const holders = masters.filter((_, at) => counts[at]!.trim() === '1');
        seen(holders.map(({ name }) => name).join(', '));
        return holders.length === 1 ? holders[0] : undefined;
      },
      { for: 'one master to have the virtual address', within: minutes(1), every: seconds(0.2) },
    );
  }

  close(): Promise<void> {
    return this.deployed.close();
  }
}
