import { readFileSync } from 'node:fs';
import { millis, minutes, waitUntil } from '@windlass/foundation';
import { parseFlags, UsageError, type Flags } from '../cli/flags.js';
import { ExitError, logLine, runProgram } from '../cli/program.js';
import { parseCidr } from '../kube/ip-range.js';
import { StatusError } from '../kube/status-error.js';
import { EtcdClient } from '../store/etcd-client.js';
import { EtcdStore } from '../store/etcd-store.js';
import { API_SERVER_FLAGS } from './flags.js';
import { startApiServer, type ApiServerSettings, type RunningApiServer } from './server.js';

/** `windlass-lab-kube-apiserver`: the API server stand-in as a program, with the flags that kubeadm's manifest gives the real one. */
async function main(args: string[]): Promise<number> {
  const flags = parsed(args);
  if (flags.bool('help')) {
    logLine('kube-apiserver: the windlass-lab stand-in. Flags: those of the static pod manifest that kubeadm writes.');
    return 0;
  }
  const etcd = new EtcdClient({
    endpoints: flags.strings('etcd-servers'),
    ca: file(flags, 'etcd-cafile'),
    cert: file(flags, 'etcd-certfile'),
    key: file(flags, 'etcd-keyfile'),
  });
  const server = await startWhenPossible(settingsOf(flags), new EtcdStore(etcd));
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
  await server.close();
  return 0;
}

/** etcd starts beside it, and on a joining node only later: waits for it instead of ending at once. */
const startWhenPossible = (settings: ApiServerSettings, store: EtcdStore): Promise<RunningApiServer> =>
  waitUntil(
    async (seen) => {
      try {
        return await startApiServer(settings, store);
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== 503) throw error;
        seen(error.message);
        return undefined;
      }
    },
    { for: 'etcd', within: minutes(5), every: millis(100), growth: 1.3, atMost: millis(500) },
  );

function parsed(args: string[]): Flags {
  try {
    return parseFlags(API_SERVER_FLAGS, args);
  } catch (error) {
    if (error instanceof UsageError) throw new ExitError(1, `Error: ${error.message}`);
    throw error;
  }
}

function file(flags: Flags, name: string): string {
  const path = flags.string(name);
  if (path === '') throw new ExitError(1, `Error: --${name} is required`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ExitError(1, `Error: --${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function settingsOf(flags: Flags): ApiServerSettings {
  const mode = flags.string('authorization-mode');
  if (mode !== 'Node,RBAC') {
    throw new ExitError(1, `Error: --authorization-mode=${mode}: the windlass-lab stand-in has Node,RBAC`);
  }
  const range = parseCidr(flags.string('service-cluster-ip-range'));
  if (range === undefined) throw new ExitError(1, 'Error: --service-cluster-ip-range must be an IPv4 CIDR');
  return {
    bindAddress: flags.string('bind-address'),
    port: flags.int('secure-port'),
    tls: {
      cert: file(flags, 'tls-cert-file'),
      key: file(flags, 'tls-private-key-file'),
      clientCa: file(flags, 'client-ca-file'),
    },
    serviceAccounts: {
      issuer: flags.string('service-account-issuer'),
      verificationKeys: [file(flags, 'service-account-key-file')],
      signingKey: file(flags, 'service-account-signing-key-file'),
    },
    bootstrapTokens: flags.bool('enable-bootstrap-token-auth'),
    anonymous: flags.bool('anonymous-auth'),
    serviceRange: range,
    advertiseAddress: flags.string('advertise-address'),
    version: flags.string('windlass-lab-version'),
    log: logLine,
  };
}

void runProgram(main);
