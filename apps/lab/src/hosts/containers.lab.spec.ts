import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { millis, minutes, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MachineSpec } from '../machine-fleet.js';
import { GUEST_NODE } from './guest-node.js';
import { labIdentity } from './lab-identity.js';
import { mountedHierarchies } from './legacy-cgroups.js';
import { readSettings } from './testing/machine-state.js';
import { machineSpec, startTestFleet, type TestFleet } from './testing/test-fleet.js';

/** What a VM may have, in MiB. */
const MEMORY = 300;

let lab: TestFleet;
let spec: MachineSpec;

beforeAll(async () => {
  lab = await startTestFleet({ containers: true });
  spec = machineSpec(lab.fleet, 1, { memoryMiB: MEMORY });
  await lab.fleet.boot(spec);
  await lab.fleet.ready(spec.serverId);
});
afterAll(() => lab.end());

/** As a service of the VM: what comes from outside is in a cgroup that the VM's systemd can't see. */
const asService = (script: string) =>
  lab.fleet.exec(spec.serverId, ['systemd-run', '--quiet', '--wait', '--pipe', 'sh', '-c', script]);

const inVm = (script: string) => lab.fleet.exec(spec.serverId, ['sh', '-c', script], { within: minutes(4) });

/** The lab's folders in every mounted hierarchy. */
async function cgroupsOfLab(dataDir: string): Promise<string[]> {
  const { cgroup } = labIdentity(path.join(dataDir, 'hosts'));
  const folders = (await mountedHierarchies()).map(({ mountedAt }) => mountedAt);
  const found = await Promise.all(folders.map(async (folder) => ((await readdir(folder)).includes(cgroup) ? folder : '')));
  return found.filter((folder) => folder !== '');
}

/** A bundle for runc with two programs of the VM's and what the kubelet asks of a pod's first container. */
const BUNDLE = `set -eu
mkdir -p /tmp/bundle/rootfs
cd /tmp/bundle
for program in /bin/sh /bin/cat; do cp --parents -L $program $(ldd $program | grep -o '/lib[^ ]*') rootfs; done
/usr/sbin/runc spec
sed -i -e 's/"terminal": true/"terminal": false, "oomScoreAdj":-998/' -e 's#"sh"#"sh", "-c", "echo ran; cat /proc/self/oom_score_adj"#' \\
  -e 's#"linux": {#"linux": { "cgroupsPath": "system.slice:lab:one",#' config.json
`;

test('a process that takes more than its VM may have is killed, and the VM goes on', async () => {
  const { status } = await inVm(`head -c ${2 * MEMORY}M /dev/zero | tail > /dev/null`);
  expect(status).toBe(137);
  expect(await inVm('echo there')).toMatchObject({ stdout: 'there\n' });
});

test('the root of a VM may not lift its limit', async () => {
  const { stdout } = await inVm(
    'for file in /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max; do if [ -e $file ]; then echo 900M > $file || echo refused; fi; done',
  );
  expect(stdout).toBe('refused\n');
});

test('settings of the kernel that the kubelet wants are so in a VM, and what is written there does not reach the machine', async () => {
  const machines = ['vm/overcommit_memory', 'vm/panic_on_oom', 'vm/swappiness', 'kernel/panic'].map(
    (name) => `/proc/sys/${name}`,
  );
  const before = await readSettings(machines);
  const written = await inVm(
    'cd /proc/sys; cat vm/overcommit_memory kernel/panic; echo 2 > vm/overcommit_memory; cat vm/overcommit_memory',
  );
  expect(written).toMatchObject({ stdout: '1\n10\n2\n' });
  await inVm('sysctl -w vm.panic_on_oom=1 kernel.panic=99 vm.swappiness=1; echo 5 > /dev/kmsg');
  expect(await readSettings(machines)).toEqual(before);
});

test('modules that the kernel has are there for modprobe, and others are not', async () => {
  expect(await inVm('modprobe overlay && modprobe br_netfilter && modprobe --dry-run vxlan')).toMatchObject({ status: 0 });
  expect((await inVm('modprobe no_such_module')).status).toBe(1);
});

test("a container runs by Debian's runc and the VM's systemd, though it asks for an oom_score_adj that no VM may have", async () => {
  expect(await inVm('apt-get update && apt-get install -y --no-install-recommends containerd')).toMatchObject({ status: 0 });
  expect(await inVm(BUNDLE)).toMatchObject({ status: 0 });
  const ran = await asService('cd /tmp/bundle && runc --systemd-cgroup run lab-one');
  expect(ran).toMatchObject({ status: 0, stdout: 'ran\n0\n' });
});

test('a privileged container writes settings of connection tracking as kube-proxy does, and they are not the machine’s', async () => {
  const setting = '/proc/sys/net/netfilter/nf_conntrack_max';
  const before = await readFile(setting, 'utf8');
  const bundle = [
    "const fs = require('node:fs'); const file = '/tmp/bundle/config.json'; const config = JSON.parse(fs.readFileSync(file));",
    `config.process.terminal = false; config.process.args = ['sh', '-c', 'echo 77777 > ${setting}; cat ${setting}'];`,
    // What is read-only is what only privileged containers do not have.
    'delete config.linux.maskedPaths; delete config.linux.readonlyPaths;',
    'fs.writeFileSync(file, JSON.stringify(config));',
  ].join('\n');
  expect(await inVm('cd /tmp/bundle && rm config.json && /usr/sbin/runc spec')).toMatchObject({ status: 0 });
  expect(await lab.fleet.exec(spec.serverId, [GUEST_NODE, '-e', bundle])).toMatchObject({ status: 0 });
  const privileged = 'cd /tmp/bundle && runc --systemd-cgroup run lab-two';
  expect(await asService(privileged)).toMatchObject({ status: 0, stdout: '77777\n' });
  expect(await readFile(setting, 'utf8')).toBe(before);
});

test('containerd has its layers on the disk of the machine, where an overlay can lie', async () => {
  await waitUntil(async () => ((await inVm('ctr plugins ls')).stdout.includes('overlayfs') ? true : undefined), {
    for: "containerd's list of plugins",
    within: seconds(20),
    every: millis(100),
  });
  const { stdout } = await inVm('ctr plugins ls | grep -w overlayfs');
  expect(stdout.trim()).toMatch(/ok$/);
});

test('a lab that has stopped leaves no cgroup in any hierarchy', async () => {
  const other = await startTestFleet({ containers: true });
  await other.fleet.boot(machineSpec(other.fleet, 1));
  const folders = await cgroupsOfLab(other.dataDir);
  expect(folders).toHaveLength((await mountedHierarchies()).length);
  await other.fleet.stop();
  expect(await cgroupsOfLab(other.dataDir)).toEqual([]);
  expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(other.dataDir);
  await other.end();
});
