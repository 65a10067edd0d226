import { TerminalError } from '@windlass/foundation';

/** Controllers that the kubelet does not start without, by kind of hierarchy. */
const NEEDED_OF_V1 = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'] as const;
const NEEDED_OF_V2 = ['cpu', 'cpuset', 'memory', 'pids'] as const;

/** A mounted hierarchy of version 1: one controller, several, or none but a name. */
export interface LegacyHierarchy {
  /** Where it is mounted on this machine. */
  mountedAt: string;
  /** Its controllers, such as `cpu` and `cpuacct`; empty where it has a name alone. */
  controllers: string[];
  /** As mount(8) takes it: `cpu,cpuacct` or `none,name=systemd`. */
  options: string;
}

/** How the cgroups of VMs that run containers are laid out. */
export type CgroupLayout = { version: 2; root: string } | { version: 1; root: string; hierarchies: LegacyHierarchy[] };

/** What was seen of a machine's cgroups. */
export interface SeenCgroups {
  /** Text of /proc/self/mounts. */
  mounts: string;
  /** Text of /proc/cgroups: the controllers that the kernel has. */
  controllers: string;
  /** Where cgroup2 is mounted and may be written, and what its `cgroup.controllers` says there. */
  unified: { root: string; controllers: string };
}

/**
 * Which cgroups a VM gets in which containers run: one cgroup2 where that has the controllers, else a folder in every hierarchy of version 1.
 * @throws TerminalError `lab.cgroups` naming the controllers that neither has.
 */
export function cgroupLayout(seen: SeenCgroups): CgroupLayout {
  const { root } = seen.unified;
  const offered = words(seen.unified.controllers);
  const lackingInV2 = NEEDED_OF_V2.filter((name) => !offered.includes(name));
  if (lackingInV2.length === 0) return { version: 2, root };
  const hierarchies = legacyHierarchies(seen);
  const mounted = hierarchies.flatMap(({ controllers }) => controllers);
  const lackingInV1 = NEEDED_OF_V1.filter((name) => !mounted.includes(name));
  if (lackingInV1.length === 0) return { version: 1, root, hierarchies };
  throw new TerminalError(
    'lab.cgroups',
    `containers can't run in the lab's VMs here: cgroup2 at ${root} lacks ${lackingInV2.join(', ')}, and of cgroup version 1 ${
      mounted.length === 0
        ? 'nothing is mounted'
        : `${lackingInV1.join(', ')} ${lackingInV1.length === 1 ? 'is' : 'are'} not mounted`
    }; boot with systemd.unified_cgroup_hierarchy=1 (Debian 12 has it so), or in a container give it its controllers, or run the lab without --kubernetes real`,
  );
}

/** What systemd, runc and the kubelet find below /sys/fs/cgroup of a VM: a line each, `<folder> <type> <options>`. */
export function cgroupMounts(layout: CgroupLayout): string {
  if (layout.version === 2) return '. cgroup2 rw\n';
  const legacy = layout.hierarchies.map(({ controllers, options }) => {
    const folder = controllers.length === 0 ? options.replace('none,name=', '') : controllers.join(',');
    return `${folder} cgroup ${options}\n`;
  });
  return [...legacy, 'unified cgroup2 rw\n'].join('');
}

/** The hierarchies of version 1 that may be written. */
export function legacyHierarchies({ mounts, controllers }: Pick<SeenCgroups, 'mounts' | 'controllers'>): LegacyHierarchy[] {
  const known = controllers
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => words(line)[0]);
  const found = new Map<string, LegacyHierarchy>();
  for (const line of mounts.split('\n')) {
    const [, mountedAt = '', type, flags = ''] = line.split(' ');
    if (type !== 'cgroup' || !flags.split(',').includes('rw')) continue;
    const own = flags.split(',').filter((flag) => known.includes(flag));
    const name = flags.split(',').find((flag) => flag.startsWith('name='));
    if (own.length === 0 && name === undefined) continue;
    const options = own.length === 0 ? `none,${name ?? ''}` : own.join(',');
    // The same hierarchy may be mounted at several places.
    if (!found.has(options)) found.set(options, { mountedAt, controllers: own, options });
  }
  return [...found.values()];
}

const words = (line: string): string[] => line.trim().split(/\s+/);
