import { createInterface } from 'node:readline/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds } from '@windlass/foundation';
import type { Flags } from '../../cli/flags.js';
import { CONTAINERD_SOCKET } from '../../cri/container-runtime.js';
import { KubeClient } from '../../client/kube-client.js';
import { loadKubeconfig } from '../../client/kubeconfig.js';
import { emptyFolder, exists, namesIn, readIfThere } from '../../host/files.js';
import { stopService, systemctl } from '../../host/systemd.js';
import { at, stringAt } from '../../kube/object.js';
import { STATIC_STATE, unitOf } from '../../kubelet/static-pods.js';
import type { ConfigMap } from '../../kube/kinds.js';
import { R } from '../../kube/resources.js';
import type { Io } from '../../cli/program.js';
import { failure, line, runPhases, warn } from '../output.js';
import { announce, runChecks } from '../preflight/check.js';
import { isRoot } from '../preflight/checks.js';
import { etcdClient, memberAt, removeMember } from '../phases/etcd-members.js';
import { textsAt } from '../read-configuration.js';
import { documentsOf, refuseMixing } from '../read-init.js';
import { ETCD_DATA, KUBELET_FOLDER, KUBERNETES, MANIFESTS } from '../settings.js';

export interface ResetSettings {
  force: boolean;
  certificatesDir: string;
  cleanupTmpDir: boolean;
  criSocket: string;
  ignorePreflightErrors: string[];
  skipPhases: string[];
  kubeconfig: string;
}

/** @throws ExitError */
export async function readReset(flags: Flags): Promise<ResetSettings> {
  refuseMixing(flags);
  const documents = await documentsOf(flags);
  const document = documents.get('ResetConfiguration') ?? {};
  if (flags.given('config') && !documents.has('ResetConfiguration')) throw failure('no ResetConfiguration found in config file');
  if (flags.bool('dry-run') || at(document, 'dryRun') === true) throw failure('dry-run: not in the windlass-lab stand-in');
  return {
    force: flags.bool('force') || at(document, 'force') === true,
    certificatesDir: flags.given('cert-dir')
      ? flags.string('cert-dir')
      : (stringAt(document, 'certificatesDir') ?? `${KUBERNETES}/pki`),
    cleanupTmpDir: flags.bool('cleanup-tmp-dir') || at(document, 'cleanupTmpDir') === true,
    criSocket: flags.given('cri-socket') ? flags.string('cri-socket') : (stringAt(document, 'criSocket') ?? CONTAINERD_SOCKET),
    ignorePreflightErrors: [...textsAt(document, 'ignorePreflightErrors'), ...flags.strings('ignore-preflight-errors')],
    skipPhases: [...textsAt(document, 'skipPhases'), ...flags.strings('skip-phases')],
    kubeconfig: flags.string('kubeconfig'),
  };
}

/** `kubeadm reset`: undoes what init or join did to this machine, as far as it can. @throws ExitError */
export async function runReset(settings: ResetSettings, io: Io): Promise<void> {
  await runPhases(
    [
      { name: 'preflight', run: () => preflight(settings, io) },
      { name: 'remove-etcd-member', run: () => removeEtcdMember(settings, io) },
      { name: 'cleanup-node', run: () => cleanUp(settings, io) },
    ],
    settings.skipPhases,
  );
  line(io, CLOSING);
}

async function preflight(settings: ResetSettings, io: Io): Promise<void> {
  if (!settings.force) {
    warn(io, "[reset] WARNING: Changes made to this host by 'kubeadm init' or 'kubeadm join' will be reverted.");
    io.out('[reset] Are you sure you want to proceed? [y/N]: ');
    const answer = await firstLine();
    if (answer.toLowerCase() !== 'y') throw failure('error execution phase preflight: aborted reset operation');
  }
  announce(io);
  await runChecks([isRoot], settings.ignorePreflightErrors, io);
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const text of lines) return text.trim();
    return '';
  } finally {
    lines.close();
  }
}

async function removeEtcdMember({ certificatesDir, kubeconfig }: ResetSettings, io: Io): Promise<void> {
  const manifest = await readIfThere(join(MANIFESTS, 'etcd.yaml'));
  if (manifest === undefined) {
    line(io, '[reset] No etcd manifest found. Assuming external etcd');
    line(io, 'Please, manually reset etcd to prevent further issues');
    return;
  }
  const { parse } = await import('yaml');
  const command = textsAt(parse(manifest), 'spec', 'containers', '0', 'command');
  const flag = (name: string): string => command.find((entry) => entry.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
  await reportConfiguration(kubeconfig, io);
  try {
    await leaveCluster(flag('initial-advertise-peer-urls'), flag('advertise-client-urls'), certificatesDir);
  } catch (error) {
    // As the real one: the member may have to be removed from another node.
    warn(
      io,
      `[reset] Failed to remove etcd member: ${error instanceof Error ? error.message : String(error)}, please manually remove this etcd member using etcdctl`,
    );
  }
  const dataDir = flag('data-dir') === '' ? ETCD_DATA : flag('data-dir');
  await stopService(unitOf('etcd'));
  await emptyFolder(dataDir);
  line(io, `[reset] Deleted contents of the etcd data directory: ${dataDir}`);
}

async function reportConfiguration(kubeconfig: string, io: Io): Promise<void> {
  line(io, '[reset] Reading configuration from the "kubeadm-config" ConfigMap in namespace "kube-system"...');
  try {
    const client = new KubeClient(await loadKubeconfig(kubeconfig), seconds(5));
    await client.get<ConfigMap>(R.configmaps, { namespace: 'kube-system', name: 'kubeadm-config' }).finally(() => client.close());
  } catch (error) {
    warn(
      io,
      `[reset] Unable to fetch the kubeadm-config ConfigMap from cluster: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Takes this node's member out of the cluster; the last one stays, nothing would be left to ask. */
async function leaveCluster(peerUrl: string, clientUrl: string, certificatesDir: string): Promise<void> {
  const local = await etcdClient(['https://127.0.0.1:2379'], certificatesDir);
  const members = await local.members().finally(() => local.close());
  const others = members.flatMap(({ clientURLs = [] }) => clientURLs).filter((url) => url !== clientUrl);
  if (members.length < 2) return;
  const etcd = await etcdClient(others, certificatesDir);
  try {
    const member = await memberAt(etcd, peerUrl);
    if (member !== undefined) await removeMember(etcd, member.ID);
  } finally {
    etcd.close();
  }
}

const FILES = [
  'admin.conf',
  'super-admin.conf',
  'kubelet.conf',
  'bootstrap-kubelet.conf',
  'controller-manager.conf',
  'scheduler.conf',
];

async function cleanUp({ certificatesDir, cleanupTmpDir }: ResetSettings, io: Io): Promise<void> {
  line(io, '[reset] Stopping the kubelet service');
  await systemctl('stop', 'kubelet').catch((error: unknown) =>
    warn(io, `[reset] The kubelet service could not be stopped by kubeadm: ${String(error)}`),
  );
  for (const name of await namesIn(STATIC_STATE)) await stopService(unitOf(name));
  await rm(STATIC_STATE, { recursive: true, force: true });
  line(io, `[reset] Unmounting mounted directories in "${KUBELET_FOLDER}"`);
  const folders = [MANIFESTS, KUBELET_FOLDER, certificatesDir, ...(cleanupTmpDir ? [`${KUBERNETES}/tmp`] : [])];
  line(io, `[reset] Deleting contents of directories: [${folders.join(' ')}]`);
  for (const folder of folders) await emptyFolder(folder);
  line(io, `[reset] Deleting files: [${FILES.map((name) => join(KUBERNETES, name)).join(' ')}]`);
  for (const name of FILES) if (await exists(join(KUBERNETES, name))) await rm(join(KUBERNETES, name));
}

const CLOSING = `
The reset process does not perform cleanup of CNI plugin configuration,
network filtering rules and kubeconfig files.

For information on how to perform this cleanup manually, please see:
    https://k8s.io/docs/reference/setup-tools/kubeadm/kubeadm-reset/
`;
