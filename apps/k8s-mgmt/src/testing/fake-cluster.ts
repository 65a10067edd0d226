import { createHash } from 'node:crypto';
import type { JsonObject } from '@windlass/foundation';
import { FakeHosts, type FakeCall, type FakeHostsOptions, type FakeReply } from '@windlass/mgmt-driver/testing';
import { stringify } from 'yaml';
import { RENEW_CERTIFICATES } from '../certificates/renewal-script.js';
import * as connectivity from '../cluster/nodes/scripts.js';
import { INSPECT_NODE } from '../node/inspection.js';
import * as scripts from '../node/scripts.js';
import { documentsOf, contentOf, itemsOf, joinIn, keyOf } from './raw-documents.js';
import { FIT, type FakeNode } from './fake-node.js';
import { FakeArchives } from './fake-archives.js';
import { FakeSnapshots } from './fake-snapshots.js';
import { FakePods } from './fake-pods.js';
import { podsNamed, rawNode, rolledOut } from './raw-objects.js';

/** The end of renewed certificates, in seconds since 1970. */
export const RENEWED_UNTIL = 1_900_000_000;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Fake VMs, and the cluster that actions make of them. Written from the programs' behaviour, not from the actions. */
export class FakeCluster {
  readonly hosts: FakeHosts;
  readonly nodes = new Map<string, FakeNode>();
  /** The API's objects by `kind/name`, while there is a control plane. */
  api: Map<string, JsonObject> | undefined;
  readonly listed = new Map<string, { ready: boolean; words?: string; address: string }>();
  /** The pods that have not begun, by their nodes. */
  readonly pending = new Map<string, JsonObject[]>();
  readonly tokens = new Map<string, string>();
  /** The descriptions in the tokens' Secrets, by the tokens' ids. */
  readonly descriptions = new Map<string, string>();
  /** Every token so far, whole. */
  readonly minted: string[] = [];
  readonly configurations: string[] = [];
  readonly drained: string[] = [];
  readonly cordoned = new Set<string>();
  /** The labels of nodes, by the nodes' names; none unless given. */
  readonly labels = new Map<string, Record<string, string>>();
  /** The pods that do not leave a node, kubectl's message, and whether the cluster finds the node dead during the drain; by the node's name. */
  readonly held = new Map<string, { pods: string[]; said: string; dies?: boolean }>();
  readonly pods = new FakePods();
  readonly snapshots: FakeSnapshots;
  /** The DaemonSets' pods on nodes' own networks, by name, with the node and the address at their begin. */
  readonly hostPods = new Map<string, { node: string; address: string }>();
  /** The container runtime in nodes' status. */
  runtime = 'containerd://1.7.24';
  /** The kubelet's version in nodes' status. */
  version = 'v1.34.1';
  /** The members of `kubeadm init`'s ClusterConfiguration beside the version, such as `imageRepository`. */
  configuration: JsonObject = {};
  scriptOutput: (call: FakeCall) => FakeReply = () => ({ status: 1 });

  constructor(options: FakeHostsOptions = {}) {
    this.hosts = new FakeHosts(options)
      // The last matching script answers: looks at files are the most general.
      .on(/cmp -s|test |dpkg-query/, (call) => this.#look(call))
      .on(/^kubectl --kubeconfig/, (call) => this.kubectl(call))
      .on(/^\/bin\/bash -s /, (call) => this.asks(call))
      .on(/^\/bin\/bash -s certificates$/, ({ machine }) => ({ stdout: this.node(machine.resourceId).certificates }))
      .on(/^date -u \+%s%3N/, ({ machine }) => ({ stdout: `${Date.now() + this.node(machine.resourceId).clockAhead}\n` }))
      .on(/^date -u \+%s$/, () => ({ stdout: `${Math.floor(Date.now() / 1_000)}\n` }))
      .on(/openssl x509/, ({ machine }) => this.#hash(this.node(machine.resourceId).ca))
      .on(/script\.sh/, (call) => this.script(call))
      .on(/install\.sh/, (call) => this.#packaged(call))
      .on(/^systemctl restart kubelet$/, ({ machine }) => ({ effect: () => this.#register(machine.resourceId) }))
      .on(/^true$/, {});
    this.snapshots = new FakeSnapshots(this.hosts, new FakeArchives(this));
  }

  node(resourceId: string): FakeNode {
    const fresh: FakeNode = {
      hostname: 'fresh',
      hosts: '',
      files: new Map(),
      containerd: false,
      kubernetes: undefined,
      ca: undefined,
      env: {},
      inspection: FIT,
      certificates: 'now 0\n',
      clockAhead: 0,
      scriptRuns: [],
    };
    const node = this.nodes.get(resourceId) ?? fresh;
    this.nodes.set(resourceId, node);
    return node;
  }

  /** Makes a control plane as after `kubeadm init`. */
  begin(resourceId: string, name: string, address: string): void {
    this.api = new Map(
      ['daemonset/kube-proxy', 'deployment/coredns', 'configmap/cluster-info'].map((key) => [key, { metadata: {} }]),
    );
    this.upgrade(this.version);
    const node = this.node(resourceId);
    node.registersAs = [name, { ready: true, address }];
    this.listed.set(...node.registersAs);
    node.ca = digest(`CA of ${resourceId}`);
  }

  /** Sets the version of the kubelets and of the cluster's configuration, as `kubeadm upgrade` does. */
  upgrade(version: string): void {
    this.version = version;
    const ClusterConfiguration = stringify({
      kind: 'ClusterConfiguration',
      kubernetesVersion: version,
      ...this.configuration,
    });
    this.api?.set('configmap/kubeadm-config', { metadata: {}, data: { ClusterConfiguration } });
  }

  /** Removes a VM; the cluster is gone with the control plane's VM. */
  destroy(resourceId: string): void {
    this.hosts.destroy(resourceId);
    this.snapshots.destroy(resourceId);
    this.resets(resourceId);
    this.nodes.delete(resourceId);
  }

  /** Answers the script of a job. */
  protected script(call: FakeCall): FakeReply {
    const content = (name: string): string => contentOf(call, name);
    const text = content('script.sh');
    const node = this.node(call.machine.resourceId);
    const words = call.command.replaceAll("'", '').split(' ');
    Object.assign(node.env, call.env);
    const effects: [string, () => void][] = [
      [
        scripts.PREPARE_NODE,
        () => {
          Object.assign(node, { hostname: words[2] ?? '', hosts: content('hosts') });
          this.#keep(node, 'apt-proxy', content('apt-proxy'));
        },
      ],
      [scripts.NODE_NAMES, () => (node.hosts = content('hosts'))],
      [
        scripts.UPDATE_PEERS,
        () => {
          node.hosts = content('hosts');
          if (node.files.has('containerd-proxy')) this.#keep(node, 'containerd-proxy', content('proxies'));
        },
      ],
      [scripts.UNPREPARE_NODE, () => (node.hosts = '')],
      [scripts.INSTALL_RUNTIME, () => ((node.containerd = true), this.#keep(node, 'containerd-proxy', content('proxies')))],
      [scripts.REMOVE_RUNTIME, () => (node.containerd = false)],
      [scripts.INSTALL_KUBERNETES, () => (node.kubernetes = words[2])],
      [scripts.REMOVE_KUBERNETES, () => (node.kubernetes = undefined)],
      [scripts.INIT_CONTROL_PLANE, () => this.#init(call, content('init.yaml'))],
      [scripts.JOIN_WORKER, () => this.joined(node, content('join.yaml'))],
      [scripts.RESET_NODE, () => this.resets(call.machine.resourceId)],
      [RENEW_CERTIFICATES, () => (node.certificates = node.certificates.replace(/(\.\w+) \d+$/gm, `$1 ${RENEWED_UNTIL}`))],
      [connectivity.READDRESS_NODE, () => this.#startKubelet(call.machine.resourceId, words[2] ?? '')],
      [connectivity.RESTORE_NODE_ADDRESS, () => this.#startKubelet(call.machine.resourceId, words[2] ?? '')],
    ];
    const effect = effects.find(([of]) => of === text)?.[1];
    if (effect === undefined) return { status: 127, stderr: 'no such script' };
    if (text === connectivity.READDRESS_NODE && node.links?.includes(words[2] ?? '') === false)
      return { status: 75, stderr: `no link of this machine has the address ${words[2] ?? ''}\n` };
    if (text === scripts.JOIN_WORKER && this.isNewer(node))
      return { status: 1, stderr: '[ERROR KubeletVersion]: the kubelet version is higher than the control plane version' };
    if (text === scripts.JOIN_WORKER && !this.accepts(content('join.yaml')))
      return { status: 1, stderr: 'could not find a JWS signature for token' };
    return { stdout: 'working\n', effect };
  }

  #init({ machine: { resourceId }, env }: FakeCall, configuration: string): void {
    this.configurations.push(configuration);
    const [init] = documentsOf(configuration);
    const { name, kubeletExtraArgs } = init!.nodeRegistration as unknown as {
      name: string;
      kubeletExtraArgs: { value: string }[];
    };
    this.begin(resourceId, name, kubeletExtraArgs[0]!.value);
    // kubeadm (GetProxyEnvVars) copies these variables into the static pods and kube-proxy's DaemonSet.
    const copied = Object.fromEntries(Object.entries(env).filter(([key, value]) => /_proxy$/i.test(key) && value !== ''));
    this.node(resourceId).files.set('manifests', JSON.stringify(copied));
    this.api?.set('daemonset/kube-proxy', { metadata: {}, spec: { env: copied } });
    const { token, description } = (init!.bootstrapTokens as unknown as { token: string; description: string }[])[0]!;
    this.keepToken(token, description);
    this.node(resourceId).files.set('kubeconfig', 'admin');
  }

  /** Resets a node; the cluster is gone with its last control plane. */
  protected resets(resourceId: string): void {
    const node = this.node(resourceId);
    const wasMaster = node.ca === digest(`CA of ${resourceId}`) || node.files.has('kubeconfig');
    const others = [...this.nodes].filter(([id, { files }]) => id !== resourceId && files.has('kubeconfig'));
    if (wasMaster && others.length === 0) {
      this.api = undefined;
      this.listed.clear();
      this.tokens.clear();
      this.pods.clear();
    }
    node.ca = undefined;
    node.files.delete('kubeconfig');
  }

  /** Adds a node that has joined by kubeadm's configuration. */
  protected joined(node: FakeNode, configuration: string): void {
    this.configurations.push(configuration);
    const { name, address } = joinIn(configuration);
    node.ca = this.#ca;
    node.registersAs = [name, { ready: true, address }];
    this.listed.set(...node.registersAs);
  }

  /** Whether a node has a later minor version of Kubernetes, with which kubeadm refuses the join. */
  protected isNewer({ kubernetes = '' }: FakeNode): boolean {
    const minor = (version: string): number => Number(version.split('.')[1] ?? 0);
    return minor(kubernetes) > minor(this.version);
  }

  /** Whether a join with the configuration's token and hash is accepted now. */
  protected accepts(configuration: string): boolean {
    const [join] = documentsOf(configuration);
    const { bootstrapToken } = join!.discovery as unknown as { bootstrapToken: { token: string; caCertHashes: string[] } };
    return [...this.tokens.values()].includes(bootstrapToken.token) && bootstrapToken.caCertHashes.includes(`sha256:${this.#ca}`);
  }

  get #ca(): string {
    return [...this.nodes.values()].find(({ ca }) => ca !== undefined)?.ca ?? '';
  }

  /** Adds a token as the API server's authenticator reads it: an expired token, or one without leave to authenticate, is refused. */
  #mint(data: Record<string, string>): void {
    const of = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString();
    const token = `${of('token-id')}.${of('token-secret')}`;
    this.minted.push(token);
    if (Date.parse(of('expiration')) > Date.now() && of('usage-bootstrap-authentication') === 'true')
      this.keepToken(token, of('description'));
  }

  /** Adds a token that a user made by `kubeadm token create`, where the description is not ours. */
  keepToken(token: string, description = ''): void {
    const id = token.split('.')[0]!;
    this.tokens.set(id, token);
    this.descriptions.set(id, description);
  }

  /** Registers a node where the cluster has none, as a starting kubelet does. */
  #register(resourceId: string): void {
    const node = this.node(resourceId);
    if (node.ca !== undefined && node.registersAs !== undefined) this.listed.set(...node.registersAs);
  }

  /** Sets the node's address as a kubelet with another `--node-ip` does: only an address of the machine is reported. */
  #startKubelet(resourceId: string, nodeIp: string): void {
    const node = this.node(resourceId);
    node.nodeIp = nodeIp;
    const [name] = node.registersAs ?? [];
    if (name !== undefined && node.links?.includes(nodeIp) !== false) this.listed.set(name, { ready: true, address: nodeIp });
  }

  #packaged(call: FakeCall): FakeReply {
    this.node(call.machine.resourceId).scriptRuns.push(call.command.replace(/^.*install\.sh\s+/, ''));
    Object.assign(this.node(call.machine.resourceId).env, call.env);
    return this.scriptOutput(call);
  }

  /** Answers kubectl. */
  protected kubectl({ command, input }: FakeCall): FakeReply {
    const { api } = this;
    if (api === undefined) return { status: 1, stderr: 'The connection to the server 10.10.0.24:6443 was refused' };
    const rest = command.replaceAll("'", '').replace(/^kubectl --kubeconfig=\S+ --server=\S+ /, '');
    if (/^-n kube-system get secrets --field-selector=type=bootstrap.kubernetes.io\/token -o jsonpath=/.test(rest))
      return { stdout: [...this.tokens.keys()].map((id) => this.#tokenLine(id)).join('') };
    if (rest === 'get --raw /readyz') return { stdout: 'ok' };
    if (rest.startsWith('get nodes')) {
      const items = [...this.listed].map(([name, node]) => rawNode(name, { ...node, labels: this.labels.get(name) ?? {} }, this));
      return { stdout: JSON.stringify({ items }) };
    }
    const ofPods = this.pods.reply(rest);
    if (ofPods !== undefined) return ofPods;
    if (rest.startsWith('apply')) return { effect: () => this.#applied(JSON.parse(input) as JsonObject) };
    if (rest.startsWith('delete -f'))
      return { effect: () => itemsOf(JSON.parse(input) as JsonObject).forEach((item) => this.#deleted(keyOf(item))) };
    const [verb, named = ''] = rest.split(' ');
    const held = this.held.get(named);
    if (verb === 'drain') {
      if (held?.dies === true) this.listed.set(named, { ...this.listed.get(named)!, ready: false });
      return { effect: () => void this.drained.push(named), ...(held === undefined ? {} : { status: 1, stderr: held.said }) };
    }
    if (verb === 'label') return { effect: () => this.#label(rest.split(' ').slice(2)) };
    if (verb === 'cordon') return { effect: () => void this.cordoned.add(named) };
    if (verb === 'uncordon') return { effect: () => void this.cordoned.delete(named) };
    const [, where = '', waitsOn] =
      /^(get pods -A|-n \S+ get pods) --field-selector=spec.nodeName=([^, ]+),status.phase=Pending -o json$/.exec(rest) ?? [];
    if (waitsOn !== undefined) {
      const isThere = ({ metadata }: JsonObject): boolean =>
        where.endsWith(' -A') || where === `-n ${String((metadata as JsonObject).namespace)} get pods`;
      return { stdout: JSON.stringify({ items: (this.pending.get(waitsOn) ?? []).filter(isThere) }) };
    }
    const of = /^get pods -A --field-selector=spec.nodeName=(\S+)/.exec(rest)?.[1];
    if (of !== undefined)
      return { stdout: JSON.stringify({ items: [...podsNamed(this.held.get(of)?.pods ?? []), ...this.#hostPodsOf(of)] }) };
    const deleted = /^-n \S+ delete pod (\S+) --ignore-not-found$/.exec(rest)?.[1];
    if (deleted !== undefined) return { effect: () => this.#renewHostPod(deleted) };
    if (rest.startsWith('delete node')) return { effect: () => this.#unlist(rest.split(' ')[2]!) };
    const tokens = Array.from(
      / delete secret (.*)/.exec(rest)?.[1]?.matchAll(/bootstrap-token-(\w+)/g) ?? [],
      ([, id = '']) => id,
    );
    if (tokens.length > 0) return { effect: () => tokens.forEach((id) => this.tokens.delete(id)) };
    const query = /get (\w+) (\S+) -o json$/.exec(rest);
    const found = query === null ? undefined : api.get(`${query[1]!}/${query[2]!}`);
    return found === undefined
      ? { status: 1, stderr: `Error from server (NotFound): ${rest}` }
      : { stdout: JSON.stringify(found) };
  }

  /** The line of a token's Secret, with name and description, as kubectl's jsonpath prints it. */
  #tokenLine(id: string): string {
    return `bootstrap-token-${id} ${Buffer.from(this.descriptions.get(id) ?? '').toString('base64')}\n`;
  }

  #hostPodsOf(node: string) {
    return [...this.hostPods]
      .filter(([, pod]) => pod.node === node)
      .map(([name, { address }]) => ({
        metadata: { name, namespace: 'kube-flannel', ownerReferences: [{ kind: 'DaemonSet' }] },
        spec: { hostNetwork: true },
        status: { podIP: address },
      }));
  }

  /** Replaces a DaemonSet's pod, as its controller does: the new pod begins with the node's present address. */
  #renewHostPod(name: string): void {
    const pod = this.hostPods.get(name);
    const address = this.listed.get(pod?.node ?? '')?.address;
    if (pod !== undefined && address !== undefined) this.hostPods.set(name, { ...pod, address });
  }

  #deleted(key: string): void {
    this.api?.delete(key);
    this.tokens.delete(key.replace('secret/bootstrap-token-', ''));
  }

  #unlist(name: string): void {
    this.listed.delete(name);
    this.labels.delete(name);
  }

  /** Labels a node as `kubectl label node NAME --overwrite KEY=VALUE...`. */
  #label([name = '', , ...pairs]: string[]): void {
    const set = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
    this.labels.set(name, { ...this.labels.get(name), ...set });
  }

  #applied(object: JsonObject): void {
    for (const item of object.kind === 'List' ? itemsOf(object) : [object]) {
      if (item.type === 'bootstrap.kubernetes.io/token') {
        // The Secret is kept as a token, and deleted with it.
        this.#mint(item.data as Record<string, string>);
        continue;
      }
      if (this.pods.applied(item)) continue;
      const withToken = item.type === 'kubernetes.io/service-account-token';
      const data = {
        token: Buffer.from('bearer-of-admin').toString('base64'),
        'ca.crt': Buffer.from('PEM of CA').toString('base64'),
      };
      this.api?.set(keyOf(item), withToken ? { ...item, data } : rolledOut(item));
    }
  }

  #look({ machine, command, input }: FakeCall): FakeReply {
    const node = this.node(machine.resourceId);
    const says = (fine: boolean): FakeReply => ({ status: fine ? 0 : 1 });
    if (command.includes('dpkg-query'))
      return node.kubernetes === undefined ? { status: 1 } : { stdout: `installed ${node.kubernetes}-1.1\n`.repeat(3) };
    if (command.includes('hostname'))
      return says(command.includes(`= ${node.hostname} `) && command.includes(digest(node.hosts)));
    if (command.startsWith('test "$(sed')) return says(command.includes(digest(node.hosts)));
    if (command.includes('.kube/config')) return says(node.files.has('kubeconfig'));
    if (command.includes('ip_forward')) return says(node.hosts !== '');
    const file = command.includes('apt.conf.d') ? 'apt-proxy' : 'containerd-proxy';
    const same = node.files.get(file) === input;
    if (command.includes('||')) return says(same || !node.files.has(file));
    return says(command.includes('test ! -e') ? !node.files.has(file) : same);
  }

  /** Answers scripts that look, and change nothing. */
  protected asks({ machine, command, input }: FakeCall): FakeReply {
    if (input === INSPECT_NODE) return { stdout: this.node(machine.resourceId).inspection };
    if (input === connectivity.NODE_IS_READDRESSED)
      return { status: command.replaceAll("'", '').endsWith(` ${this.node(machine.resourceId).nodeIp ?? 'none'}`) ? 0 : 1 };
    if (input === scripts.RUNTIME_IS_SET_UP) return { status: this.node(machine.resourceId).containerd ? 0 : 1 };
    return { status: 127, stderr: 'no such script' };
  }

  #keep(node: FakeNode, name: string, content: string): void {
    if (content === '') node.files.delete(name);
    else node.files.set(name, content);
  }

  #hash(ca: string | undefined): FakeReply {
    return ca === undefined ? { status: 1 } : { stdout: `${ca}\n` };
  }
}
