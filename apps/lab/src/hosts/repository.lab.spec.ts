import net from 'node:net';
import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MachineSpec } from '../machine-fleet.js';
import { finish } from '../debian/command.js';
import { GUEST_NODE } from './guest-node.js';
import type { StandinPackage } from '../debian/standin-package.js';
import { machineSpec, startTestFleet, type TestFleet } from './testing/test-fleet.js';

const tool = (version: string): StandinPackage => ({
  name: 'kubeadm',
  version,
  depends: ['conntrack', 'kubelet'],
  description: 'stand-in of a test',
  files: [
    {
      path: '/usr/bin/kubeadm',
      mode: 0o755,
      content: `#!${GUEST_NODE}\nconsole.log('kubeadm ${version} on', process.version);\n`,
    },
    { path: '/etc/kubeadm.conf', mode: 0o640, content: 'given\n' },
    { path: '/opt/windlass-lab/copied', mode: 0o644, source: '/etc/debian_version' },
  ],
  conffiles: ['/etc/kubeadm.conf'],
  postinst: '#!/bin/sh\nset -e\necho "$1" > /var/lib/kubeadm-configured\n',
  repository: 'core:/stable:/v1.34/deb',
});
const STANDINS: StandinPackage[] = [
  tool('1.34.0-1.1'),
  tool('1.34.1-1.1'),
  {
    name: 'lab-modprobe',
    version: '1',
    description: 'stand-in of a test',
    files: [{ path: '/usr/local/sbin/modprobe', mode: 0o755, content: '#!/bin/sh\necho "noted $*"\n' }],
    preinstalled: true,
  },
  { name: 'kubelet', version: '1:1.34.1-1.1', architecture: 'amd64', description: 'stand-in of a test', files: [] },
];

let lab: TestFleet;
let one: MachineSpec;
let two: MachineSpec;
beforeAll(async () => {
  lab = await startTestFleet({ standins: STANDINS });
  one = machineSpec(lab.fleet, 1);
  two = machineSpec(lab.fleet, 2);
  await Promise.all([one, two].map((spec) => lab.fleet.boot(spec)));
  await Promise.all([one, two].map((spec) => lab.fleet.ready(spec.serverId)));
});
afterAll(() => lab.end());

const exec = (spec: MachineSpec, text: string) =>
  lab.fleet.exec(spec.serverId, ['sh', '-ec', `export DEBIAN_FRONTEND=noninteractive; ${text}`]);
async function inside(spec: MachineSpec, text: string): Promise<string> {
  const { status, stdout, stderr } = await exec(spec, text);
  if (status !== 0) throw new Error(`${text}: ${stdout}${stderr}`);
  return stdout.trim();
}

test('apt-get update and install bring real packages and stand-ins, at the version asked for, from the signed repository', async () => {
  await inside(one, 'apt-get update && apt-get install -y containerd kubeadm=1.34.0-1.1 kubernetes-client');
  expect(await inside(one, 'systemctl is-active containerd; ctr version | grep -c Version')).toBe('active\n2');
  expect(
    await inside(one, 'kubeadm; cat /var/lib/kubeadm-configured /opt/windlass-lab/copied; stat -c "%a %U" /etc/kubeadm.conf'),
  ).toMatch(new RegExp(`^kubeadm 1\\.34\\.0-1\\.1 on ${process.version}\nconfigure\n12\\.\\d+\n640 root$`));
  expect(await inside(one, 'kubectl version --client --short 2>&1')).toContain('v1.20.2');
  expect(await inside(one, 'dpkg-query -W kubelet')).toContain('1:1.34.1-1.1');
});

test('a preinstalled stand-in is there from the first boot, and dpkg knows it', async () => {
  expect(await inside(two, 'modprobe overlay; dpkg -S /usr/local/sbin/modprobe; dpkg --audit')).toBe(
    'noted overlay\nlab-modprobe: /usr/local/sbin/modprobe',
  );
});

test('an upgrade keeps a configuration file that was changed', async () => {
  await inside(one, 'echo mine > /etc/kubeadm.conf; apt-get install -y kubeadm');
  expect(await inside(one, 'kubeadm; cat /etc/kubeadm.conf')).toMatch(/^kubeadm 1\.34\.1-1\.1 .*\nmine$/);
});

test('a repository laid out as pkgs.k8s.io is added with its key, as node scripts do', async () => {
  const base = `${lab.fleet.repositoryUrl}/core:/stable:/v1.34/deb`;
  await inside(
    two,
    `mkdir -p /etc/apt/keyrings; curl -fsS ${base}/Release.key | gpg --dearmor -o /etc/apt/keyrings/kubernetes.gpg;
    echo "deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] ${base}/ /" > /etc/apt/sources.list.d/kubernetes.list; apt-get update`,
  );
  expect(await inside(two, 'apt-cache policy kubeadm')).toContain('core:/stable:/v1.34/deb');
  expect(await inside(two, 'apt-get install -y kubeadm=1.34.1-1.1 > /dev/null; kubeadm')).toContain('kubeadm 1.34.1-1.1');
});

test('apt refuses the repository with a key that is not its own', async () => {
  const refused = await exec(
    two,
    `echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${lab.fleet.repositoryUrl}/core:/stable:/v1.34/deb/ /" > /etc/apt/sources.list.d/kubernetes.list
    rm -r /var/lib/apt/lists/*; apt-get update`,
  );
  await inside(two, 'rm /etc/apt/sources.list.d/kubernetes.list');
  expect(refused.stderr).toMatch(/NO_PUBKEY|not signed/);
  expect(refused.status).not.toBe(0);
});

test('the server gives what is in the repository, by GET and HEAD, on the bridge alone', async () => {
  const url = lab.fleet.repositoryUrl;
  expect((await fetch(`${url}/key.gpg`)).status).toBe(200);
  expect((await fetch(`${url}/Packages`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${url}/Packages`, { method: 'POST' })).status).toBe(405);
  for (const path of ['/', '/..%2f..%2fcontents.json', '/contents.json', '/%', '/pool/absent.deb'])
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  const port = new URL(url).port || '80';
  const listening = await finish('ss', ['-Hltn', `sport = :${port}`]);
  expect(listening.stdout).toContain(`${lab.fleet.network.gateway}:${port}`);
  const local = await fetch(`http://127.0.0.1:${port}/key.gpg`)
    .then((answer) => answer.status)
    .catch(() => 'refused');
  expect(local).not.toBe(200);
});

test('a second lab with the same stand-ins builds nothing', async () => {
  const other = await startTestFleet({ standins: STANDINS });
  await other.end();
  expect(other.lines).toEqual([]);
});

test.each([
  [{ name: 'Upper' }, /name that Debian does not allow/],
  [{ version: 'one' }, /version 'one'/],
  [{ description: 'two\nlines' }, /line break/],
  [{ files: [{ path: '../up', mode: 0o644, content: '' }] }, /no absolute path/],
  [{ files: [{ path: '/a', mode: 0o644 }] }, /either content or source/],
  [{ repository: '../up' }, /no relative path/],
])('a malformed stand-in is refused: %j', async (wrong, message) => {
  const standin = { name: 'tool', version: '1', description: 'x', files: [], ...wrong };
  await expect(startTestFleet({ standins: [standin] })).rejects.toMatchObject({
    code: 'lab.standin',
    message: expect.stringMatching(message) as string,
  });
});

/** Whether something accepts connections to port 22 of an address. */
const answers = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect({ host: address, port: 22, timeout: 500 });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('timeout', () => done(false));
    socket.once('error', () => done(false));
  });

test('a virtual address of keepalived moves to another VM within seconds when its VM dies', async () => {
  const address = lab.fleet.network.gateway.replace(/\d+$/, '99');
  const configuration = (priority: number) =>
    `global_defs {\n vrrp_version 3\n}\nvrrp_instance VRRP1 {\n state BACKUP\n interface eth0\n virtual_router_id 51\n priority ${priority}\n advert_int 0.3\n virtual_ipaddress {\n ${address}/24\n }\n}\n`;
  await Promise.all(
    [one, two].map(async (spec, at) => {
      await inside(spec, 'apt-get update; apt-get install -y keepalived');
      await lab.fleet.exec(spec.serverId, ['tee', '/etc/keepalived/keepalived.conf'], { input: configuration(103 - at) });
      await inside(spec, 'systemctl restart keepalived');
    }),
  );
  const holds = async (spec: MachineSpec) => (await exec(spec, `ip -4 addr show eth0 | grep -q ${address}`)).status === 0;
  const owner = await waitUntil(
    async () => {
      const held = await Promise.all([holds(one), holds(two)]);
      const owners = [one, two].filter((_, at) => held[at]);
      return owners.length === 1 && (await answers(address)) ? owners[0] : undefined;
    },
    { for: `one VM to have ${address}`, within: seconds(20), every: millis(100) },
  );
  await lab.fleet.destroy(owner.serverId);
  const heir = owner === one ? two : one;
  await waitUntil(async () => ((await holds(heir)) && (await answers(address)) ? true : undefined), {
    for: `${heir.name} to have ${address}`,
    within: seconds(20),
    every: millis(100),
  });
});
