import type { FakeCall, FakeHostsOptions, FakeReply } from '@windlass/mgmt-driver/testing';
import * as balancing from '../balancer/scripts.js';
import { JOIN_CONTROL_PLANE } from '../cluster/masters/scripts.js';
import { newToken } from '../cluster/bootstrap-token.js';
import { contentOf, joinIn } from './raw-documents.js';
import { FakeCluster } from './fake-cluster.js';
import { FakeEtcd } from './fake-etcd.js';

/** A master's part of the load balancer. */
interface FakeBalancer {
  /** The files, by their names in the job. */
  files: Map<string, string>;
  keepalived: boolean;
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** A cluster with several masters, each with a member of etcd and the load balancer. The cluster outlives any one of them. */
export class FakeMasters extends FakeCluster {
  readonly etcd: FakeEtcd;
  readonly balancers = new Map<string, FakeBalancer>();
  readonly #addresses = new Map<string, string>();

  constructor(options: FakeHostsOptions = {}) {
    super(options);
    this.etcd = new FakeEtcd(this.hosts);
    this.hosts
      .on(/^ip -o -4 addr show to/, ({ command }) => ({
        stdout: `2: ens3    inet ${command.split(' ').at(-1)!}/24 scope global ens3\n`,
      }))
      .on(/systemctl is-active/, ({ machine }) => ({
        status: this.balancers.get(machine.resourceId)?.keepalived === true ? 1 : 0,
      }))
      .on(/^kubeadm init phase upload-certs/, () => ({
        effect: () => {
          // The certificates' Secret is owned by a token, and ends with it after two hours.
          const owner = newToken().reveal();
          this.keepToken(owner, 'Proxy for managing TTL for the kubeadm-certs secret');
          const ownerReferences = [{ kind: 'Secret', name: `bootstrap-token-${owner.split('.')[0]!}` }];
          this.api?.set('secret/kubeadm-certs', {
            metadata: { name: 'kubeadm-certs', ownerReferences },
            data: { sealed: owner },
          });
        },
      }));
  }

  override begin(resourceId: string, name: string, address: string): void {
    super.begin(resourceId, name, address);
    this.#becomesMaster(resourceId, name, address);
  }

  override destroy(resourceId: string): void {
    this.#stopsEtcd(resourceId);
    this.balancers.delete(resourceId);
    super.destroy(resourceId);
  }

  /** Turns a machine off: it is unreachable, and the cluster has noticed that its kubelet is silent. */
  die(resourceId: string): void {
    const address = this.#addresses.get(resourceId) ?? this.node(resourceId).registersAs?.[1].address;
    this.hosts.machine(resourceId).unreachable = true;
    if (address !== undefined) this.etcd.kill(address);
    const balancer = this.balancers.get(resourceId);
    if (balancer !== undefined) balancer.keepalived = false;
    for (const [name, listed] of this.listed) if (listed.address === address) this.listed.set(name, { ...listed, ready: false });
  }

  protected override script(call: FakeCall): FakeReply {
    const text = contentOf(call, 'script.sh');
    const { resourceId } = call.machine;
    if (text === JOIN_CONTROL_PLANE) return this.#joins(call);
    const balancer = this.balancers.get(resourceId);
    const files = new Map([...call.files].map(([path, content]) => [path.split('/').at(-1)!, content]));
    const effects = new Map<string, () => void>([
      [balancing.CONFIGURE_LOAD_BALANCER, () => this.balancers.set(resourceId, { files, keepalived: true })],
      [balancing.CHANGE_LOAD_BALANCER, () => balancer !== undefined && Object.assign(balancer, { files })],
      [balancing.REMOVE_LOAD_BALANCER, () => this.balancers.delete(resourceId)],
      [balancing.LEAVE_LOAD_BALANCER, () => balancer !== undefined && Object.assign(balancer, { keepalived: false })],
      [balancing.RETURN_TO_LOAD_BALANCER, () => balancer !== undefined && Object.assign(balancer, { keepalived: true })],
    ]);
    const effect = effects.get(text);
    return effect === undefined ? super.script(call) : { stdout: 'working\n', effect };
  }

  protected override asks(call: FakeCall): FakeReply {
    const { machine, command, input } = call;
    const balancer = this.balancers.get(machine.resourceId);
    if (input === balancing.LOOK_AT_VIP) {
      const [holder] = [...this.balancers].find(([, { keepalived }]) => keepalived) ?? [];
      const lines = [...(holder === machine.resourceId ? ['holds'] : []), ...(holder === undefined ? [] : ['answered'])];
      return { stdout: lines.map((line) => `${line}\n`).join('') };
    }
    if (input !== balancing.LOAD_BALANCER_IS_SET_UP) return super.asks(call);
    const [haproxy = '', keepalived = ''] = command.replaceAll("'", '').split(' ').slice(2);
    const has = (name: string, mark: string): boolean => balancer?.files.get(name)?.includes(mark) === true;
    return { status: has('haproxy.cfg', haproxy) && has('keepalived.conf', keepalived) ? 0 : 1 };
  }

  protected override kubectl(call: FakeCall): FakeReply {
    const name = /get node (\S+) -o json$/.exec(call.command.replaceAll("'", ''))?.[1];
    if (this.etcd.members.length > 0 && !this.etcd.decides)
      return { status: 1, stderr: 'Error from server: etcdserver: request timed out' };
    if (this.api === undefined || name === undefined) return super.kubectl(call);
    if (!this.listed.has(name)) return { status: 1, stderr: `Error from server (NotFound): nodes "${name}" not found` };
    return { stdout: JSON.stringify({ metadata: { name, labels: this.labels.get(name) ?? {} } }) };
  }

  protected override resets(resourceId: string): void {
    this.#stopsEtcd(resourceId);
    super.resets(resourceId);
    if (this.api === undefined) this.etcd.members.splice(0);
  }

  #joins(call: FakeCall): FakeReply {
    const configuration = contentOf(call, 'join.yaml');
    if (!this.accepts(configuration)) return { status: 1, stderr: 'could not find a JWS signature for token' };
    if (this.api?.has('secret/kubeadm-certs') !== true) return { status: 1, stderr: 'secret "kubeadm-certs" was not found' };
    const { name, address } = joinIn(configuration);
    const refusal = this.etcd.refusal(address);
    if (refusal !== undefined) return { status: 1, stderr: refusal };
    return {
      stdout: 'working\n',
      effect: () => {
        const node = this.node(call.machine.resourceId);
        this.joined(node, configuration);
        node.files.set('kubeconfig', 'admin');
        this.#becomesMaster(call.machine.resourceId, name, address);
      },
    };
  }

  #becomesMaster(resourceId: string, name: string, address: string): void {
    this.labels.set(name, { ...this.labels.get(name), [CONTROL_PLANE]: '' });
    this.#addresses.set(resourceId, address);
    this.etcd.add(resourceId, address);
  }

  #stopsEtcd(resourceId: string): void {
    const address = this.#addresses.get(resourceId);
    if (address !== undefined) this.etcd.kill(address);
    this.#addresses.delete(resourceId);
  }
}
