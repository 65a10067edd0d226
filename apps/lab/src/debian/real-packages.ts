import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes } from '@windlass/foundation';
import { aptProxyEnvironment, type DebianMirror } from './apt-sources.js';
import { SUITE } from './base-root.js';
import { removeFolder, type Cache } from './cache.js';
import { run } from './command.js';
import { indexEntry, type IndexEntry } from './deb.js';

/** Debian's own packages in the lab's repository, each with the reason it is there. What they depend on comes along. */
export const REAL_PACKAGES: Readonly<Record<string, string>> = {
  containerd: 'the container runtime of every node; its daemon runs, though no container does',
  runc: 'what containerd asks to run containers; node scripts name it',
  'kubernetes-client': "Debian's kubectl, the real client of the lab's Kubernetes API",
  iptables: 'kubelet and kube-proxy need it; node scripts set rules',
  conntrack: "kubeadm's preflight looks for it",
  socat: "kubeadm's preflight looks for it; kubectl port-forward uses it",
  ebtables: "kubeadm's preflight looks for it",
  ethtool: "kubeadm's preflight looks for it",
  ipset: 'kube-proxy in IPVS mode uses it',
  haproxy: 'balances the API servers of a cluster with several masters',
  keepalived: "moves the cluster's virtual address between masters",
  psmisc: 'killall, with which keepalived asks whether haproxy lives',
  'etcd-server': 'etcd, the real store behind the lab’s Kubernetes API',
  openssl: 'what kubeadm’s stand-in makes its certificates with',
  'etcd-client': 'etcdctl, to remove and add members when a master is healed',
  'nfs-common': 'what a node mounts NFS with; here it can only be installed',
  'nfs-ganesha': 'an NFS server without the kernel’s help: the storage server’s',
  'nfs-ganesha-vfs': 'its part that exports folders',
  'libnfs-utils': 'nfs-cp and nfs-cat, by which tests read and write over NFS: the kernel here has no client',
  'docker.io': 'the engine of the private registry, which runs where containers do',
  apparmor: 'Docker’s profiles, where the kernel has AppArmor',
  'docker-registry': 'the registry itself, where no container runs; and what the image of one is made of',
  gnupg: 'node scripts install it before they add a signed repository',
  'ansible-core': 'an Ansible server, by which kubespray makes clusters; with it comes Python, which it wants on nodes',
  sshpass: 'what Ansible logs in to nodes by passwords with',
};

export interface RealPackages {
  /** Folder with the .deb files. */
  pool: string;
  index: IndexEntry[];
}

/** The real packages with all that they need beyond the base root, fetched by apt from the machine's own mirror once. */
export async function realPackages(
  cache: Cache,
  base: string,
  log: (line: string) => void,
  mirrorOf: () => Promise<DebianMirror>,
): Promise<RealPackages> {
  const names = Object.keys(REAL_PACKAGES);
  const folder = await cache.entry('packages', { format: 1, base: path.basename(base), names }, async (building) => {
    log(`packages: fetching ${names.length} Debian packages and what they depend on for the lab's own repository`);
    const pool = path.join(building, 'pool');
    await mkdir(pool);
    await fetchInto(pool, path.join(building, 'apt'), base, names, await mirrorOf());
    const index: IndexEntry[] = [];
    for (const file of (await readdir(pool)).sort()) index.push(await indexEntry(path.join(pool, file)));
    await writeFile(path.join(building, 'index.json'), JSON.stringify(index));
  });
  const index = JSON.parse(await readFile(path.join(folder, 'index.json'), 'utf8')) as IndexEntry[];
  return { pool: path.join(folder, 'pool'), index };
}

/** apt works out and fetches what is missing in the base root, with lists and cache of its own: the machine's apt stays as it is. */
export async function fetchInto(
  pool: string,
  workspace: string,
  base: string,
  names: readonly string[],
  mirror: DebianMirror,
): Promise<void> {
  const lists = path.join(workspace, 'lists');
  const archives = path.join(workspace, 'cache/archives');
  for (const folder of [lists, archives]) await mkdir(path.join(folder, 'partial'), { recursive: true });
  const trust = mirror.trusted ? 'trusted=yes' : `signed-by=${mirror.keyring}`;
  await writeFile(path.join(workspace, 'sources.list'), `deb [${trust}] ${mirror.uri} ${SUITE} main\n`);
  const settings = {
    'Dir::Etc::sourcelist': path.join(workspace, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': lists,
    'Dir::State::status': path.join(base, 'var/lib/dpkg/status'),
    'Dir::State::extended_states': path.join(workspace, 'extended_states'),
    'Dir::Cache': path.join(workspace, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
    'APT::Install-Recommends': '0',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const running = { env: { ...(await aptProxyEnvironment()), DEBIAN_FRONTEND: 'noninteractive' }, within: minutes(20) };
  await run('apt-get', [...options, 'update'], running);
  await run('apt-get', [...options, '--yes', '--download-only', 'install', ...names], running);
  const debs = (await readdir(archives)).filter((file) => file.endsWith('.deb'));
  for (const file of debs) await rename(path.join(archives, file), path.join(pool, file));
  await removeFolder(workspace);
}
