import { expect, it } from 'vitest';
import { cgroupLayout, cgroupMounts, type SeenCgroups } from './cgroup-layout.js';

const CONTROLLERS = `#subsys_name	hierarchy	num_cgroups	enabled
cpuset	3	1	1
cpu	1	1	1
cpuacct	2	1	1
memory	4	23	1
net_cls	0	1	1
pids	8	1	1
`;

/** A machine as Debian 12 boots: everything in cgroup2. */
const STOCK: SeenCgroups = {
  mounts: 'proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0\n',
  controllers: CONTROLLERS,
  unified: { root: '/sys/fs/cgroup', controllers: 'cpuset cpu io memory hugetlb pids rdma misc\n' },
};

const legacy = (...options: string[]): SeenCgroups => ({
  mounts: [
    'tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0',
    ...options.map((option) => `cgroup /sys/fs/cgroup/${option.replace('name=', '')} cgroup rw,relatime,${option} 0 0`),
    'cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0',
  ].join('\n'),
  controllers: CONTROLLERS,
  unified: { root: '/sys/fs/cgroup/unified', controllers: 'hugetlb\n' },
});
const EACH = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'name=systemd'];

it('a machine whose cgroup2 has the controllers gives its VMs that alone', () => {
  const layout = cgroupLayout(STOCK);
  expect(layout).toEqual({ version: 2, root: '/sys/fs/cgroup' });
  expect(cgroupMounts(layout)).toBe('. cgroup2 rw\n');
});

it('a machine with a mount for each controller of version 1 gives its VMs each of them, and cgroup2 beside them', () => {
  expect(cgroupMounts(cgroupLayout(legacy(...EACH)))).toBe(
    'cpu cgroup cpu\ncpuacct cgroup cpuacct\ncpuset cgroup cpuset\nmemory cgroup memory\npids cgroup pids\nsystemd cgroup none,name=systemd\nunified cgroup2 rw\n',
  );
});

it('controllers that share a hierarchy share it in the VM, and one that is mounted twice is there once', () => {
  const seen = legacy('cpu,cpuacct', 'cpuset', 'memory', 'pids');
  const twice = { ...seen, mounts: `${seen.mounts}\ncgroup /mnt/memory cgroup rw,memory 0 0\n` };
  const layout = cgroupLayout(twice);
  expect(cgroupMounts(layout).split('\n')[0]).toBe('cpu,cpuacct cgroup cpu,cpuacct');
  expect(layout).toMatchObject({
    hierarchies: [{ controllers: ['cpu', 'cpuacct'] }, {}, { mountedAt: '/sys/fs/cgroup/memory' }, {}],
  });
});

it.each([
  [
    'cgroup2 without cpuset and nothing of version 1',
    { ...STOCK, unified: { ...STOCK.unified, controllers: 'cpu memory pids' } },
    /cgroup2 at \/sys\/fs\/cgroup lacks cpuset, and of cgroup version 1 nothing is mounted/,
  ],
  [
    'version 1 without memory',
    legacy(...EACH.filter((one) => one !== 'memory')),
    /lacks cpu, cpuset, memory, pids, and of cgroup version 1 memory is not mounted/,
  ],
  [
    'version 1 mounted read-only',
    { ...legacy(), mounts: legacy(...EACH).mounts.replaceAll('cgroup rw', 'cgroup ro') },
    /nothing is mounted/,
  ],
])('%s is refused in one sentence that names what lacks and what to do', (_, seen, sentence) => {
  expect(() => cgroupLayout(seen)).toThrow(sentence);
  expect(() => cgroupLayout(seen)).toThrow(/systemd\.unified_cgroup_hierarchy=1.*without --kubernetes real$/);
});
