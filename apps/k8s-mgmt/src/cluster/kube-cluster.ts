import { KubeApi, kubectl } from '@windlass/driver-kit';
import { seconds, Secret, TerminalError, TransientError, type Duration } from '@windlass/foundation';
import { cmd, type Command, type Host } from '@windlass/mgmt-driver';
import { JOIN_TOKEN_TYPE, joinTokenSecret, MADE_BY_WINDLASS, newToken, tokenId } from './bootstrap-token.js';

const CA = '/etc/kubernetes/pki/ca.crt';
const LOOK = seconds(60);

/** Secrets of this type are bootstrap tokens, whatever their names. */
const OF_JOIN_TOKENS = `--field-selector=type=${JOIN_TOKEN_TYPE}`;

const NAMES_AND_DESCRIPTIONS = 'jsonpath={range .items[*]}{.metadata.name} {.data.description}{"\\n"}{end}';

/** A bootstrap token, by its Secret. */
export interface JoinToken {
  name: string;
  /** Whether Windlass made it. */
  isOurs: boolean;
  /** Whether nobody joins with the token: kubeadm made it so that the certificates that masters share expire with it. */
  endsCertificates: boolean;
}

/** The description that kubeadm gives such a token, in each of its ways to make one: cmd/kubeadm/app/phases/copycerts. */
const ENDS_CERTIFICATES = 'Proxy for managing TTL for the kubeadm-certs secret';

/** Reads a line of kubectl's. Secrets with names of a different form are no bootstrap tokens to kubeadm, and not ours to delete. */
function readToken(line: string): JoinToken[] {
  const [name = '', encoded = ''] = line.split(' ');
  if (!/^bootstrap-token-[a-z0-9]{6}$/.test(name)) return [];
  const description = Buffer.from(encoded, 'base64').toString('utf8');
  return [{ name, isOurs: description.startsWith(MADE_BY_WINDLASS), endsCertificates: description === ENDS_CERTIFICATES }];
}

/** What is read of a node. */
export interface KubeNode {
  name: string;
  ready: boolean;
  /** Why the node is not Ready, in its kubelet's words; empty where the kubelet gives no reason. */
  why: string;
  addresses: string[];
  labels: Readonly<Record<string, string>>;
  /** What runs its containers, as its kubelet says: `containerd://1.7.24`. Empty where it says nothing. */
  runtime: string;
  /** Of its kubelet: `v1.34.1`. Empty where it says nothing. */
  version: string;
}

/** SHA-256 of a CA's public key, as kubeadm's `caCertHashes` has it. */
const CA_HASH = (file: string): Command =>
  cmd`openssl x509 -pubkey -noout -in ${file} | openssl pkey -pubin -outform der | openssl dgst -sha256 -r | cut -d ' ' -f 1`;

/** A cluster as any of its living masters knows it: the API through kubectl on that master, the CA from the file there. */
export class KubeCluster extends KubeApi {
  /** `sha256:<hex>` of this cluster's CA. @throws TerminalError when no master has one */
  async caHash(): Promise<string> {
    const hash = await this.masters.ask(({ host }) => caHashOn(host));
    if (hash !== undefined) return hash;
    const addresses = this.masters.all.map(({ host }) => host.target.address).join(', ');
    throw new TerminalError('cluster.no-ca', `there is no ${CA} on ${addresses}, which is master of no cluster`);
  }

  /** kubeadm's own configuration of the cluster, YAML; undefined while the API does not show it. */
  async configuration(): Promise<string | undefined> {
    const map = await this.ask(cmd`-n kube-system get configmap kubeadm-config -o json`);
    return (map?.data as { ClusterConfiguration?: string } | undefined)?.ClusterConfiguration;
  }

  /** The nodes that are listed, or undefined while the API does not answer; `seen` hears why. */
  async nodes(seen: (why: string) => void = () => undefined): Promise<KubeNode[] | undefined> {
    const answer = await this.ask(cmd`get nodes -o json`, seen);
    return answer === undefined ? undefined : (answer.items as RawNode[]).map(readNode);
  }

  async lists(name: string): Promise<boolean> {
    return (await this.nodes())?.some((node) => node.name === name) ?? false;
  }

  /** Deletes every namespace with these labels and all that is in it, and waits until they are gone. No such namespace is no error. */
  async removeNamespaces(job: string, labels: Readonly<Record<string, string>>, within: Duration): Promise<void> {
    const selector = Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
    const timeout = `--timeout=${Math.floor(within / 1_000)}s`;
    await this.change(job, cmd`delete namespaces -l ${selector} ${timeout}`, { within: (within + LOOK) as Duration });
  }

  /**
   * Makes a token with which a node can join, valid for `lives` by the master's clock. Only the token's first part may be shown. kubectl makes it:
   * `kubeadm token create` looks up the newest Kubernetes on the internet when its configuration names no version.
   */
  async mintJoinToken({ lives }: { lives: Duration }): Promise<Secret> {
    const token = newToken();
    const { host } = await this.masters.one();
    const now = await host.run(cmd`date -u +%s`, { within: LOOK });
    const expires = new Date(Number(now.stdout.trim()) * 1_000 + lives);
    await this.apply(`mint-token-${tokenId(token)}`, joinTokenSecret(token, expires));
    return token;
  }

  /** Revokes a token. A token that is gone already is no error. */
  async revoke(token: Secret): Promise<void> {
    const id = tokenId(token);
    await this.change(`revoke-token-${id}`, cmd`-n kube-system delete secret ${`bootstrap-token-${id}`} --ignore-not-found`);
  }

  /**
   * The bootstrap tokens of the cluster, by their Secrets' names; undefined while the API does not answer. Nothing of a Secret is read but who made
   * it.
   */
  async joinTokens(): Promise<JoinToken[] | undefined> {
    return this.masters.ask(async (master) => {
      const query = kubectl(master, cmd`-n kube-system get secrets ${OF_JOIN_TOKENS} -o ${NAMES_AND_DESCRIPTIONS}`);
      const { status, stdout } = await master.host.run(query, { within: LOOK, sudo: true, expect: 'any' });
      return status === 0 ? stdout.split('\n').flatMap(readToken) : undefined;
    });
  }

  /**
   * Revokes the tokens that Windlass made, or `every` one, which would let any machine join for as long as they live. Tokens that are gone already are no error.
   * The undo of each join calls it: the join may have been stopped before it began, or its end seen by nobody.
   * @throws TransientError `cluster.no-answer` while the API does not say which there are
   */
  async revokeJoinTokens({ every = false }: { every?: boolean | undefined } = {}): Promise<void> {
    const tokens = await this.joinTokens();
    if (tokens === undefined)
      throw new TransientError('cluster.no-answer', 'the API does not say which tokens there are to join with');
    const names = tokens.filter(({ isOurs }) => isOurs || every).map(({ name }) => name);
    if (names.length > 0) await this.change('revoke-joins', cmd`-n kube-system delete secret ${[...names]} --ignore-not-found`);
  }

  /**
   * The nodes that are listed. @throws TransientError `cluster.no-answer` while the API does not answer: silence does not mean that a node is gone
   */
  async listedNodes(): Promise<KubeNode[]> {
    let why = 'no answer';
    const nodes = await this.nodes((said) => (why = said));
    if (nodes === undefined) throw new TransientError('cluster.no-answer', `the API of the cluster does not answer: ${why}`);
    return nodes;
  }

  /** The name under which the cluster lists a node with this address; undefined where it lists none. @throws as {@link listedNodes} */
  async nameOf(address: string): Promise<string | undefined> {
    return (await this.listedNodes()).find(({ addresses }) => addresses.includes(address))?.name;
  }

  /** Sets labels of a node, over those that it has. Names and values can't be taken for options: they begin with a letter or digit. */
  async label(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    const words = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    await this.change('label-node', cmd`label node ${name} --overwrite ${words}`);
  }

  /** Keeps new pods from a node, or lets them come again. A node that is not listed is no error. */
  async cordon(name: string, cordoned: boolean): Promise<void> {
    if (!(await this.#isListed(name))) return;
    const verb = cordoned ? 'cordon' : 'uncordon';
    await this.change(`${verb}-node`, cmd`${verb} ${name}`);
  }

  /**
   * Moves a node's pods away as far as they go in that time, and respects disruption budgets. Returns what kubectl said where pods are left;
   * undefined where none are left, or the node is not listed.
   */
  async drain(name: string, { within }: { within: Duration }): Promise<string | undefined> {
    if (!(await this.#isListed(name))) return undefined;
    const timeout = `${Math.ceil(within / 1_000)}s`;
    const master = await this.masters.one();
    const { status, stderrTail } = await master.host.job('drain-node', {
      run: kubectl(master, cmd`drain ${name} --ignore-daemonsets --delete-emptydir-data --force ${`--timeout=${timeout}`}`),
      within: (within + seconds(30)) as Duration,
      // 1: not all were moved in time.
      okStatuses: [0, 1],
    });
    return status === 0 ? undefined : stderrTail.trim();
  }

  /** Deletes a node. A node that is not listed is no error. */
  async deleteNode(name: string): Promise<void> {
    await this.change('delete-node', cmd`delete node ${name} --ignore-not-found`);
  }

  async #isListed(name: string): Promise<boolean> {
    return (await this.listedNodes()).some((node) => node.name === name);
  }
}

/** The hash of the CA that a node trusts, by which the node's cluster is known; undefined where the node has no CA file. */
export async function caHashOn(host: Host): Promise<string | undefined> {
  const { stdout } = await host.run(cmd`test -s ${CA} && ${CA_HASH(CA)}`, { within: LOOK, sudo: true, expect: 'any' });
  const hash = stdout.trim();
  return /^[0-9a-f]{64}$/.test(hash) ? `sha256:${hash}` : undefined;
}

type Condition = {
  type: string;
  status: string;
  message?: string;
};

type RawNode = {
  metadata: { name: string; labels?: Record<string, string> };
  status?: {
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: { containerRuntimeVersion?: string; kubeletVersion?: string };
  };
};

const readinessOf = (condition: Condition | undefined): Pick<KubeNode, 'ready' | 'why'> =>
  condition?.status === 'True' ? { ready: true, why: '' } : { ready: false, why: condition?.message ?? '' };

const readNode = ({ metadata, status }: RawNode): KubeNode => ({
  name: metadata.name,
  ...readinessOf(status?.conditions?.find(({ type }) => type === 'Ready')),
  addresses: (status?.addresses ?? []).map(({ address }) => address),
  labels: metadata.labels ?? {},
  runtime: status?.nodeInfo?.containerRuntimeVersion ?? '',
  version: status?.nodeInfo?.kubeletVersion ?? '',
});
