import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { parseFlags, UsageError, type Flags } from '../cli/flags.js';
import { ExitError, logLine, runProgram } from '../cli/program.js';
import { KubeClient } from '../client/kube-client.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import { parseCidr } from '../kube/ip-range.js';
import { CONTROLLER_MANAGER_FLAGS } from './flags.js';
import { serveHealth } from './health-server.js';
import { LEADER_TIMES, runAsLeader } from './leader-election.js';
import { allControllers, runControllers, type ManagerSettings } from './manager.js';

/** `windlass-lab-kube-controller-manager`: the controllers, in the one of several that leads. */
async function main(args: string[]): Promise<number> {
  const flags = parsed(args);
  const client = new KubeClient(await loadKubeconfig(flags.string('kubeconfig')));
  const settings = settingsOf(flags);
  await serveHealth('kube-controller-manager', flags.string('bind-address'), flags.int('secure-port'), () => true);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const election = { name: 'kube-controller-manager', identity: `${hostname()}_${randomUUID()}`, ...LEADER_TIMES, log: logLine };
  const lead = (): void => {
    runControllers(client, allControllers(settings), logLine).catch((error: unknown) => {
      logLine(`the controllers could not start: ${String(error)}`);
      stop.abort();
    });
  };
  await runAsLeader(client, election, lead, stop.signal);
  // A leader that has lost its lease must not act any more: it ends, and its supervisor starts it anew.
  process.exit(stop.signal.aborted ? 0 : 1);
}

function parsed(args: string[]): Flags {
  try {
    return parseFlags(CONTROLLER_MANAGER_FLAGS, args);
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, `Error: ${error.message}`);
    throw error;
  }
}

function file(flags: Flags, name: string): string {
  try {
    return readFileSync(flags.string(name), 'utf8');
  } catch (error) {
    throw new ExitError(1, `Error: --${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function settingsOf(flags: Flags): ManagerSettings {
  const range = flags.bool('allocate-node-cidrs') ? parseCidr(flags.string('cluster-cidr')) : undefined;
  if (flags.bool('allocate-node-cidrs') && range === undefined) {
    throw new ExitError(1, 'Error: --cluster-cidr must be an IPv4 CIDR with --allocate-node-cidrs');
  }
  return {
    rootCa: file(flags, 'root-ca-file'),
    signer: { cert: file(flags, 'cluster-signing-cert-file'), key: file(flags, 'cluster-signing-key-file') },
    accountKey: file(flags, 'service-account-private-key-file'),
    podRange: range === undefined ? undefined : { range, maskSize: flags.int('node-cidr-mask-size') },
    nodeGrace: flags.duration('node-monitor-grace-period'),
    log: logLine,
  };
}

void runProgram(main);
