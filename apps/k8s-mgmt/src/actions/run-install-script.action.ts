import { hours, millis, minutes, seconds, Secret, TerminalError } from '@windlass/foundation';
import type { PackageFiles } from '@windlass/driver-kit';
import { cmd, type Command } from '@windlass/mgmt-driver';
import { implementAction } from '@windlass/saga';
import type { NodeContext } from '../node/node-context.js';
import { NODE_NAMES, RESET_NODE } from '../node/scripts.js';
import { hostLines } from './prepare-node.action.js';
import { runInstallScript, type MasterOutput, type RunInstallScriptInput } from './contracts.js';

// The contract of packaged scripts: spec/mgmt-kubernetes.md section 6, docs/guides/kubernetes-simple.md.

export type ScriptContext = NodeContext<RunInstallScriptInput> & { readonly packages: PackageFiles };

/** Runs the package's script, as the user who logs in. On a node that is in the cluster already, nothing is run. */
export const runInstallScriptWork = implementAction(runInstallScript, {
  apply: async (context: ScriptContext) => {
    const { node, input } = context;
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
    if (node.role === 'worker') return undefined;
    return factsIn(printed, input) ?? (await factsOf(context));
  },
  undo: async (context) => {
    const { cluster, node } = context;
    if (node.role === 'worker') {
      await cluster.drain(node.name, { within: minutes(5) });
      await cluster.deleteNode(node.name);
    }
    const user = node.role === 'master' ? node.username : '';
    await context.script('reset-node', { text: RESET_NODE, within: minutes(5), arguments: () => [user] });
  },
  stop: (context) => context.stop(),
  retry: { attempts: 2, backoff: seconds(10) },
});

/** What it prints is secret until it is parsed: a token is among it. */
async function runScript({ host, cluster, node, input, packages, proxies, run }: ScriptContext): Promise<Secret> {
  const result = await host.job('install-script', {
    prepare: async (files) => {
      // Looked at only when the job is to start: one that runs, or has ended, is attached to.
      const nodes = (await cluster.nodes()) ?? [];
      if (nodes.some(({ name, addresses }) => name === node.name || addresses.includes(node.address))) return { run: cmd`true` };
      run.progress(`running ${input.script.path}`);
      await files.put('install.sh', await packages.read(input.script, run.signal));
      const env = { ...proxies, HTTP_PRIVATE_REGISTRIES: '', ...(node.role === 'worker' ? { ha_flag: 'False' } : {}) };
      return { run: cmd`/bin/bash ${files.path('install.sh')} ${argumentsOf(input)}`, env };
    },
    sudo: false,
    secretOutput: true,
    within: millis(input.withinMs),
  });
  return result.secretOutput?.stdout ?? new Secret('');
}

/** The token among them is the contract's: every user of the node could see it while the script runs. */
function argumentsOf({ node, cluster, join }: RunInstallScriptInput): Command {
  if (node.role === 'worker') {
    if (join === undefined)
      throw new TerminalError('script.no-token', `the master's script told no token for ${node.name} to join with`);
    return cmd`-w ${node.address} -i ${cluster.address} -t ${join.token} -s ${join.caHash}`;
  }
  const masters = cluster.nodes.filter(({ role }) => role === 'master').map(({ address }) => address);
  return cmd`-m ${masters.join(',')} -i ${cluster.address} -p ${cluster.podCidr} -a ${cluster.serviceCidr}`;
}

/** What the master's script says of the cluster; undefined when it was not run, or says nothing. */
export function factsIn(printed: Secret, { cluster }: Pick<RunInstallScriptInput, 'cluster'>): MasterOutput | undefined {
  const text = printed.reveal();
  const token = /^\s*token:\s*([a-z0-9]{6}\.[a-z0-9]{16})\s*$/m.exec(text)?.[1];
  const caHash = /^\s*ssl_ca_cert_hash:\s*((?:sha256:)?[0-9a-f]{64})\s*$/im.exec(text)?.[1];
  const server = /^\s*server:\s*(https:\/\/[A-Za-z0-9.[\]:-]+)\s*$/m.exec(text)?.[1];
  if (token === undefined || caHash === undefined) return undefined;
  return { server: server ?? `https://${cluster.address}:6443`, join: { token, caHash } };
}

/** The same, of a cluster that stood before the script was to run. */
async function factsOf({ cluster, input, node }: ScriptContext): Promise<MasterOutput> {
  if (!(await cluster.lists(node.name)) && (await cluster.nodes()) === undefined) {
    throw new TerminalError(
      'script.said-nothing',
      `${input.script.path} ended well on ${node.name}, but printed no "token:" and "ssl_ca_cert_hash:" lines, and there is no cluster there`,
    );
  }
  const token = await cluster.mintJoinToken({ lives: hours(2) });
  const caHash = (await cluster.caHash()).replace('sha256:', '');
  return { server: `https://${input.cluster.address}:6443`, join: { token: token.reveal(), caHash } };
}
