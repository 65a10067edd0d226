import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { endedWith, freePort, onFreePort } from '@windlass/foundation/testing';
import { issueCertificate, newAuthority } from '../pki/certificates.js';
import { EtcdClient, type EtcdAccess } from '../store/etcd-client.js';
import { debianProgram } from './debian-programs.js';

interface Urls {
  client: string;
  peer: string;
}

export interface TestEtcd {
  access: EtcdAccess;
  /** Ends the process as a power cut would; {@link start} starts etcd again on its data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real etcd on loopback, with mutual TLS as kubeadm sets it up. */
export async function startTestEtcd(): Promise<TestEtcd> {
  const program = await debianProgram('etcd');
  const folder = await mkdtemp(join(tmpdir(), 'windlass-etcd-'));
  const authority = await newAuthority('etcd-ca', 1, 'ECDSA-P256');
  const pair = await issueCertificate(authority, {
    commonName: 'test',
    usages: ['serverAuth', 'clientAuth'],
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
    days: 1,
    algorithm: 'ECDSA-P256',
  });
  await Promise.all(
    Object.entries({ 'ca.crt': authority.cert, 'etcd.crt': pair.cert, 'etcd.key': pair.key }).map(([name, text]) =>
      writeFile(join(folder, name), text, { mode: 0o600 }),
    ),
  );
  return onFreePort(
    async () => [await freePort(), await freePort()] as const,
    async ([client, peer]) => {
      const urls = { client: `https://127.0.0.1:${client}`, peer: `https://127.0.0.1:${peer}` };
      const etcd = etcdAt(program, folder, urls, { endpoints: [urls.client], ca: authority.cert, ...pair });
      try {
        await etcd.start();
        return etcd;
      } catch (error) {
        await etcd.kill();
        await rm(join(folder, 'data'), { recursive: true, force: true });
        throw error;
      }
    },
  );
}

function etcdAt(program: string, folder: string, urls: Urls, access: EtcdAccess): TestEtcd {
  let process: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    let said = '';
    const child = (process = spawn(program, argumentsOf(urls), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }));
    child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-10_000)));
    const etcd = new EtcdClient(access, millis(500));
    await waitUntil(
      async (seen) => {
        if (child.exitCode !== null) throw endedWith('etcd', said);
        try {
          return await etcd.members();
        } catch (error) {
          seen(error instanceof Error ? error.message : String(error));
          return undefined;
        }
      },
      { for: 'etcd to answer', within: seconds(60), every: millis(50) },
    ).finally(() => etcd.close());
  };
  const kill = async (): Promise<void> => {
    if (process?.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process?.once('exit', resolve));
    process.kill('SIGKILL');
    await ended;
  };
  return { access, start, kill, stop: () => kill().then(() => rm(folder, { recursive: true, force: true })) };
}

const argumentsOf = (urls: Urls): string[] => [
  ...['--name=test', '--data-dir=data', `--listen-client-urls=${urls.client}`, `--advertise-client-urls=${urls.client}`],
  ...[`--listen-peer-urls=${urls.peer}`, `--initial-advertise-peer-urls=${urls.peer}`, `--initial-cluster=test=${urls.peer}`],
  ...['--cert-file=etcd.crt', '--key-file=etcd.key', '--client-cert-auth', '--trusted-ca-file=ca.crt'],
  ...['--peer-cert-file=etcd.crt', '--peer-key-file=etcd.key', '--peer-client-cert-auth', '--peer-trusted-ca-file=ca.crt'],
];
