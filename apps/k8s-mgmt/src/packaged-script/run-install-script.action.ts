import { kubectl, targetOf, type DriverPorts, type PackageFileRef, type PackageFiles } from '@windlass/driver-kit';
import {
  hostInUrl,
  hours,
  millis,
  minutes,
  seconds,
  Secret,
  TerminalError,
  waitUntil,
  WindlassError,
} from '@windlass/foundation';
import { cmd, type Command, type JobFiles, type PreparedRun } from '@windlass/mgmt-driver';
import { implementAction, type StepRun } from '@windlass/saga';
import { declared } from '../cluster/action.js';
import { caHashOn, type KubeNode } from '../cluster/kube-cluster.js';
import { shareCertificates, withdrawCertificates } from '../cluster/masters/shared-certificates.js';
import type { NodeInput, NodeStepInput } from '../cluster/node-input.js';
import { NodeBesideEtcdContext } from '../etcd/etcd-context.js';
import { hostLines } from '../node/prepare-node.action.js';
import { NODE_NAMES, RESET_NODE } from '../node/scripts.js';
import { lastWords } from './last-words.js';

/** What a node needs to join. */
export interface JoinCredentials {
  token: string;
  /** Of the CA's public key, without `sha256:`, or as the script printed it. */
  caHash: string;
}

export interface RunInstallScriptInput extends NodeStepInput {
  script: PackageFileRef;
  withinMs: number;
  /** What the first master's script printed for workers. Workers without it get a token of their own. */
  join?: JoinCredentials;
  /** The node is a further master: it joins those of `masters`, by a token and a certificate key of its own. */
  joinsMasters?: boolean;
  /** How long the cluster may take to list the node, in ms, when the script has ended. Plans of earlier releases have none. */
  listedWithinMs?: number;
  /** Registries that are reached by HTTP, `host:port`. None unless given. */
  httpRegistries?: string[];
  /** Whether the undo of the operation deletes the VM. The undo of the step then clears nothing on the VM, and does not need to reach it. */
  goesWithVm?: boolean;
}

/** What a master's script prints about its cluster. */
export interface MasterOutput {
  /** URL of the API server, as it is reached inside. */
  server: string;
  join: JoinCredentials;
}

// The contract of packaged scripts: spec/mgmt-kubernetes.md section 6, docs/guides/kubernetes-simple.md.

/** What the script's run works with. */
export class ScriptContext extends NodeBesideEtcdContext<RunInstallScriptInput> {
  readonly packages: PackageFiles;

  constructor(run: StepRun<RunInstallScriptInput>, { hosts, packages }: Pick<DriverPorts, 'hosts' | 'packages'>) {
    super(run, hosts);
    this.packages = packages;
  }

  /** Secrets to mask in the script's output. */
  get known(): readonly Secret[] {
    const { password, passphrase } = targetOf(this.node);
    return [...this.secrets, ...[password, passphrase].filter((secret) => secret !== undefined)];
  }

  protected override get secrets(): readonly Secret[] {
    return [...super.secrets, ...(this.input.join === undefined ? [] : [new Secret(this.input.join.token)])];
  }
}

const EVERY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/**
 * Runs the package's install script on a node, as the user who logs in. Nothing is run on a node that the cluster has already. The step of a worker
 * has no output.
 */
export const runInstallScript = implementAction(declared<RunInstallScriptInput, MasterOutput | undefined>('run-install-script'), {
  apply: async (context: ScriptContext) => {
    const { input } = context;
    await context.firstBoot();
    await context.script('node-names', {
      text: NODE_NAMES,
      within: minutes(2),
      arguments: async (files) => {
        await files.put('hosts', hostLines(input.cluster));
        return [files.path('hosts')];
      },
    });
    const printed = await runScript(context);
    if (joins(input)) return undefined;
    return printedOutput(printed, input) ?? (await outputOfCluster(context));
  },
  undo: async (context) => {
    const { cluster, node, input } = context;
    if (joins(input)) {
      if (node.role === 'master') await withdrawCertificates(cluster);
      await cluster.revokeJoinTokens();
      const name = entryOf(node, (await cluster.nodes()) ?? [])?.name ?? node.name;
      await cluster.drain(name, { within: minutes(5) });
      if (node.role === 'master') await context.etcd.leave(node.address);
      await cluster.deleteNode(name);
    }
    if (input.goesWithVm !== true) await resetNode(context);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(10) },
});

/**
 * Runs the script. Success is that the cluster lists the node, not the script's exit status alone. The output is secret until it is parsed, because
 * it holds a token.
 */
async function runScript(context: ScriptContext): Promise<Secret> {
  const { host, node, input } = context;
  const result = await host.job('install-script', {
    prepare: (files) => prepare(context, files),
    after: (token) => takeBack(context, token),
    sudo: false,
    secretOutput: true,
    okStatuses: EVERY_STATUS,
    within: millis(input.withinMs),
  });
  const { stdout = new Secret(''), stderr = new Secret('') } = result.secretOutput ?? {};
  const said = (): string => lastWords([stdout, stderr], context.known);
  if (result.status !== 0)
    throw new TerminalError(
      'script.failed',
      `${input.script.path} on ${node.name} ended with exit status ${result.status}. It said last: ${said()}`,
    );
  await untilListed(context, said);
  return stdout;
}

async function takeBack({ cluster, node }: ScriptContext, token: Secret): Promise<void> {
  await cluster.revoke(token);
  if (node.role === 'master') await withdrawCertificates(cluster);
}

/** Called only when the job starts: then the node is checked, and a token made. A job that runs, or has ended, is attached to. */
async function prepare(context: ScriptContext, files: JobFiles): Promise<PreparedRun> {
  const { node, input, packages, proxies, run } = context;
  if (await isThere(context)) return { run: cmd`true` };
  await clearAway(context);
  run.progress(`running ${input.script.path}`);
  await files.put('install.sh', await packages.read(input.script, run.signal));
  const several = mastersOf(input).length > 1;
  const env = {
    ...proxies,
    // In the form of the contract: the entries of a list in daemon.json, without its brackets.
    HTTP_PRIVATE_REGISTRIES: (input.httpRegistries ?? []).map((server) => JSON.stringify(server)).join(','),
    ...(node.role === 'worker' ? { ha_flag: several ? 'True' : 'False' } : {}),
  };
  const script = cmd`/bin/bash ${files.path('install.sh')}`;
  if (!joins(input)) return { run: cmd`${script} ${masterArguments(input)}`, env };
  if (input.join !== undefined) return { run: cmd`${script} ${workerArguments(input, input.join)}`, env };
  const { token, caHash } = await ownJoin(context);
  if (node.role === 'master') {
    const { key } = await shareCertificates(context.cluster, await context.cluster.living(), context.kubeadmEnvironment);
    const join = cmd`-t ${token.reveal()} -s ${caHash} -k ${key.reveal()}`;
    return { run: cmd`${script} ${masterArguments(input)} ${join}`, env, receipt: token };
  }
  return { run: cmd`${script} ${workerArguments(input, { token: token.reveal(), caHash })}`, env, receipt: token };
}

/**
 * Whether the node has joined. For the first master, its cluster's word is enough: the script makes that cluster. A further master has joined when
 * its own API server is ready.
 */
async function isThere(context: ScriptContext): Promise<boolean> {
  const { cluster, host, node, input } = context;
  if (!joins(input)) return entryOf(node, (await cluster.nodes()) ?? []) !== undefined;
  if (entryOf(node, await cluster.listedNodes()) === undefined) return false;
  if ((await caHashOn(host)) !== (await cluster.caHash())) return false;
  return node.role === 'worker' || ownApiAnswers(context);
}

/**
 * Removes what an unfinished attempt or the previous VM left: kubeadm does not join a node that has its files, nor an etcd with a member that does
 * not answer. Nothing is removed on a first master, where only the image or the script may have put files.
 */
async function clearAway(context: ScriptContext): Promise<void> {
  const { cluster, etcd, node, input } = context;
  if (!joins(input)) return;
  const entry = entryOf(node, await cluster.listedNodes());
  const began = await context.sees(LEFT_BEHIND);
  // Without kubeadm's files no join was begun, so etcd has no member; only the script may know where etcd is.
  if (node.role === 'master' && began) await etcd.leave(node.address);
  if (entry !== undefined) await cluster.deleteNode(entry.name);
  if (began) await resetNode(context);
}

/** Files of kubeadm, by which it refuses to join. */
const LEFT_BEHIND = cmd`ls -d /etc/kubernetes/kubelet.conf /etc/kubernetes/bootstrap-kubelet.conf /etc/kubernetes/pki/ca.crt /var/lib/etcd/member 2> /dev/null | grep -q .`;

async function resetNode(context: ScriptContext): Promise<void> {
  const user = context.node.role === 'master' ? context.node.username : '';
  await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [user] });
}

const ownApiAnswers = (context: ScriptContext): Promise<boolean> => context.sees(kubectl(context.node, cmd`get --raw /readyz`));

/** The cluster's entry of a node. A script may have given the node a different name, or the kubelet a different address. */
const entryOf = ({ name, address }: NodeInput, nodes: readonly KubeNode[]): KubeNode | undefined =>
  nodes.find((listed) => listed.addresses.includes(address)) ?? nodes.find((listed) => listed.name === name);

async function ownJoin({ cluster, input }: ScriptContext): Promise<{ token: Secret; caHash: string }> {
  const caHash = (await cluster.caHash()).replace('sha256:', '');
  return { token: await cluster.mintJoinToken({ lives: millis(input.withinMs + minutes(10)) }), caHash };
}

/** Whether the node joins a cluster, or makes one. */
const joins = ({ node, joinsMasters }: RunInstallScriptInput): boolean => node.role === 'worker' || joinsMasters === true;

/** The masters' addresses: those that are masters already come first. */
function mastersOf({ cluster, masters = [] }: RunInstallScriptInput): string[] {
  const all = cluster.nodes.filter(({ role }) => role === 'master').map(({ address }) => address);
  const there = (address: string): boolean => masters.some((master) => master.address === address);
  return [...all.filter(there), ...all.filter((address) => !there(address))];
}

const masterArguments = (input: RunInstallScriptInput): Command =>
  cmd`-m ${mastersOf(input).join(',')} -i ${input.cluster.address} -p ${input.cluster.podCidr} -a ${input.cluster.serviceCidr}`;

/** Arguments of a worker's script. The contract puts the token on the command line, where every user of the node can see it while the script runs. */
const workerArguments = ({ node, cluster }: RunInstallScriptInput, { token, caHash }: JoinCredentials): Command =>
  cmd`-w ${node.address} -i ${cluster.address} -t ${token} -s ${caHash}`;

/** Waits until the cluster lists the node: a script that exits with 0 may have done nothing. @throws TerminalError `script.not-joined` */
async function untilListed(context: ScriptContext, said: () => string): Promise<void> {
  const { cluster, node, input, run } = context;
  const within = input.listedWithinMs === undefined ? minutes(3) : millis(input.listedWithinMs);
  const look = async (seen: (last: string) => void): Promise<true | undefined> => {
    const nodes = await cluster.nodes((why) => seen(`the API does not answer: ${why}`));
    if (nodes !== undefined) seen(`listed are ${nodes.map(({ name }) => name).join(', ')}`);
    if (entryOf(node, nodes ?? []) === undefined) return undefined;
    if (node.role === 'worker' || (await ownApiAnswers(context))) return true;
    seen(`${node.name} is listed, and its own API server does not answer`);
    return undefined;
  };
  const what = `the cluster to list ${node.name} (${node.address})`;
  try {
    await waitUntil(look, { for: what, within, every: seconds(0.5), growth: 1.5, atMost: seconds(5), signal: run.signal });
  } catch (error) {
    if (!(error instanceof WindlassError) || error.code !== 'wait.timeout') throw error;
    const ended = `${input.script.path} ended with exit status 0 on ${node.name}`;
    throw new TerminalError('script.not-joined', `${ended}; ${error.message}. It said last: ${said()}`, { cause: error });
  }
}

/** What the master's script printed about the cluster; undefined where the script was not run, or printed nothing about it. */
export function printedOutput(printed: Secret, { cluster }: Pick<RunInstallScriptInput, 'cluster'>): MasterOutput | undefined {
  const text = printed.reveal();
  const token = /^[ \t]*token:[ \t]*([a-z0-9]{6}\.[a-z0-9]{16})[ \t\r]*$/m.exec(text)?.[1];
  const caHash = /^[ \t]*ssl_ca_cert_hash:[ \t]*((?:sha256:)?[0-9a-f]{64})[ \t\r]*$/im.exec(text)?.[1];
  const server = /^[ \t]*server:[ \t]*(https:\/\/[A-Za-z0-9.[\]:-]+)[ \t\r]*$/m.exec(text)?.[1];
  if (token === undefined || caHash === undefined) return undefined;
  return { server: server ?? urlOf(cluster), join: { token, caHash } };
}

/** The same facts, of a cluster that the script did not make, or about which it printed nothing. */
async function outputOfCluster({ cluster, input }: ScriptContext): Promise<MasterOutput> {
  const token = await cluster.mintJoinToken({ lives: hours(2) });
  const caHash = (await cluster.caHash()).replace('sha256:', '');
  return { server: urlOf(input.cluster), join: { token: token.reveal(), caHash } };
}

const urlOf = ({ address, port = 6443 }: RunInstallScriptInput['cluster']): string => `https://${hostInUrl(address)}:${port}`;
