import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { LOG_FLAGS, parseFlags, UsageError, type Flags, type FlagSpecs } from '../cli/flags.js';
import { ExitError, logLine, runProgram } from '../cli/program.js';
import { KubeClient } from '../client/kube-client.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import { serveHealth } from '../controllers/health-server.js';
import { LEADER_TIMES, runAsLeader } from '../controllers/leader-election.js';
import { runControllers } from '../controllers/manager.js';
import { schedulerController } from './scheduler.js';

/** The flags of kubeadm's kube-scheduler manifest. */
const SCHEDULER_FLAGS: FlagSpecs = {
  ...LOG_FLAGS,
  help: { kind: 'bool', short: 'h', usage: 'help for kube-scheduler' },
  'windlass-lab-version': { kind: 'string', default: 'v1.34.1', usage: 'the version that the image names' },
  kubeconfig: { kind: 'string', usage: 'how to reach the API server' },
  'bind-address': { kind: 'string', default: '127.0.0.1', usage: 'the address of the health port' },
  'secure-port': { kind: 'int', default: '10259', usage: 'the health port' },
  'leader-elect': { kind: 'bool', default: 'true', usage: 'only one of several works' },
  'authentication-kubeconfig': { kind: 'string', usage: 'accepted, without effect in the stand-in' },
  'authorization-kubeconfig': { kind: 'string', usage: 'accepted, without effect in the stand-in' },
  profiling: { kind: 'bool', usage: 'accepted, without effect in the stand-in' },
  'feature-gates': { kind: 'string', usage: 'accepted, without effect in the stand-in' },
};

/** `windlass-lab-kube-scheduler`: puts pods on nodes, in the one of several that leads. */
async function main(args: string[]): Promise<number> {
  const flags = parsed(args);
  const client = new KubeClient(await loadKubeconfig(flags.string('kubeconfig')));
  await serveHealth('kube-scheduler', flags.string('bind-address'), flags.int('secure-port'), () => true);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  const election = { name: 'kube-scheduler', identity: `${hostname()}_${randomUUID()}`, ...LEADER_TIMES, log: logLine };
  const lead = (): void => {
    runControllers(client, [schedulerController], logLine).catch((error: unknown) => {
      logLine(`the scheduler could not start: ${String(error)}`);
      stop.abort();
    });
  };
  await runAsLeader(client, election, lead, stop.signal);
  process.exit(stop.signal.aborted ? 0 : 1);
}

function parsed(args: string[]): Flags {
  try {
    return parseFlags(SCHEDULER_FLAGS, args);
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, `Error: ${error.message}`);
    throw error;
  }
}

void runProgram(main);
