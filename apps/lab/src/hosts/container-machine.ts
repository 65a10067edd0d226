import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { TerminalError } from '@windlass/foundation';
import { cgroupLayout, type CgroupLayout } from './cgroup-layout.js';
import { finish } from '../debian/command.js';
import { containersPackage } from './containers-package.js';
import type { StandinPackage } from '../debian/standin-package.js';

/** What this machine gives VMs in which containers run. */
export interface ContainerMachine {
  layout: CgroupLayout;
  /** Installed in each VM: the modules that the kernel has, and what runc needs. */
  package: StandinPackage;
}

/** Loaded on the machine where they are modules of its kernel: a VM can't. */
const MODULES = [
  'overlay',
  'br_netfilter',
  'vxlan',
  'nf_conntrack',
  'veth',
  'ip_tables',
  'iptable_nat',
  'iptable_filter',
  'iptable_mangle',
  'ip6_tables',
  'ip6table_nat',
  'ip6table_filter',
  'ip6table_mangle',
  'nf_tables',
  'nft_compat',
  'nft_chain_nat',
  'nf_nat',
  'xt_conntrack',
  'xt_MASQUERADE',
  'xt_comment',
  'xt_mark',
  'xt_statistic',
  'xt_multiport',
  'xt_addrtype',
  'xt_nat',
] as const;

/**
 * Makes sure that containers can run in VMs of this machine.
 * @param root where cgroup2 is
 * @throws TerminalError `lab.cgroups`, `lab.kernel` with one sentence that says what is missing and what to do.
 */
export async function requireContainerMachine(root: string): Promise<ContainerMachine> {
  const layout = cgroupLayout({
    mounts: await readFile('/proc/self/mounts', 'utf8'),
    controllers: await readFile('/proc/cgroups', 'utf8'),
    unified: { root, controllers: await readFile(path.join(root, 'cgroup.controllers'), 'utf8') },
  });
  if (layout.version === 2) await handDown(root);
  // Those that are built in, or that this kernel does not have, are no modules here; what is missing shows below.
  await finish('modprobe', ['--all', '--quiet', ...MODULES]).catch(() => undefined);
  const modules = await modulesOfKernel();
  const lacking = missingOfKernel(modules);
  if (lacking !== undefined) throw new TerminalError('lab.kernel', `containers can't run in the lab's VMs here: ${lacking}`);
  return { layout, package: containersPackage(modules) };
}

/** What is missing, in words; undefined where nothing is. */
export function missingOfKernel(modules: readonly string[]): string | undefined {
  const lacks = ['overlay', 'br_netfilter', 'vxlan', 'nf_conntrack'].filter((name) => !modules.includes(name));
  if (lacks.length === 0) return undefined;
  return `the kernel has no ${lacks.join(', ')}; load ${lacks.length === 1 ? 'it' : 'them'} with modprobe, or run on Debian 12's own kernel`;
}

/** What each answers to is there, built in or loaded. */
const PROBES = `
has() { name=$1; shift; if "$@" > /dev/null 2>&1; then echo "$name"; fi; }
has overlay grep -qw overlay /proc/filesystems
has veth ip link add probe-a type veth peer name probe-b
has vxlan ip link add probe-c type vxlan id 1 dstport 8472 dev lo
ip link add probe-d type bridge
has br_netfilter test -e /proc/sys/net/bridge/bridge-nf-call-iptables
has nf_conntrack test -e /proc/sys/net/netfilter/nf_conntrack_max
`;

/** Modules that the kernel has, loaded or built in; tried in a network namespace of their own. */
async function modulesOfKernel(): Promise<string[]> {
  const { stdout } = await finish('unshare', ['--net', '--', '/bin/sh', '-c', PROBES]);
  const probed = stdout.split('\n').filter((line) => line !== '');
  return [...new Set([...probed, ...(await linesOf('/proc/modules')), ...(await builtIn())])].sort();
}

const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').flatMap((line) => line.split(' ')[0] || []);

/** Names of what the machine's own list says is built in; a kernel without modules may have no such list. */
const builtIn = async (): Promise<string[]> =>
  (await linesOf(`/lib/modules/${os.release()}/modules.builtin`)).map((file) => path.basename(file, '.ko').replaceAll('-', '_'));

/** systemd has most of them handed down already; a root cgroup may hand down what it likes. */
async function handDown(root: string): Promise<void> {
  const wanted = '+cpu +cpuset +memory +pids';
  await writeFile(path.join(root, 'cgroup.subtree_control'), wanted).catch((cause: unknown) => {
    throw new TerminalError(
      'lab.cgroups',
      `containers can't run in the lab's VMs here: ${root} does not hand ${wanted} down to its children (${String(cause)}); run the lab on the machine itself, or in a container with its cgroup delegated`,
      { cause },
    );
  });
}
