import { millis, minutes, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineSpec, startTestFleet, type TestFleet } from '../hosts/testing/test-fleet.js';
import { standinPackages } from './packages.js';

let lab: TestFleet;
beforeAll(async () => {
  lab = await startTestFleet({ standins: await standinPackages() });
  const [plain, hostile] = [machineSpec(lab.fleet, 1), machineSpec(lab.fleet, 2, { imageName: 'debian-12-hostile' })];
  await Promise.all([lab.fleet.boot(plain), lab.fleet.boot(hostile)]);
});
afterAll(() => lab.end());

const PLAIN = machineId(1);
const HOSTILE = machineId(2);
function machineId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Runs bash text in a VM; its status and both outputs together. */
async function inside(serverId: string, text: string): Promise<{ status: number | undefined; said: string }> {
  const { status, stdout, stderr } = await lab.fleet.exec(serverId, [
    'bash',
    '-c',
    `export DEBIAN_FRONTEND=noninteractive; ${text}`,
  ]);
  return { status, said: stdout + stderr };
}
/** So that what was said is shown where it ended otherwise. */
const ended = (status: number) => ({ status, said: expect.any(String) as string });
const INSTALL = 'apt-get install -q -y --no-install-recommends containerd kubeadm kubernetes-cni';
const pull = (image: string): string => `crictl pull ${image}`;

test("a hostile image's first downloads are pages of HTML, which apt refuses, and later ones are what was asked for", async () => {
  // Before the end of its boot a VM has no /tmp that apt's own user may write to.
  await waitUntil(
    async (seen) => {
      const { said } = await inside(HOSTILE, 'systemctl is-system-running --wait');
      seen(said.trim());
      return ['running', 'degraded'].includes(said.trim()) ? true : undefined;
    },
    // Before systemd answers it says so at once, and waits for nothing.
    { for: 'the end of the boot', within: minutes(2), every: millis(100) },
  );
  for (const attempt of [1, 2]) {
    const update = await inside(HOSTILE, 'apt-get -q update');
    expect(update, `attempt ${attempt}`).toMatchObject({ status: 100 });
    expect(update.said).toContain('does the network require authentication?');
  }
  expect(await inside(HOSTILE, 'apt-get -q update')).toEqual(ended(0));
  const first = await inside(HOSTILE, INSTALL);
  expect(first.status).toBe(100);
  expect(first.said).toContain('File has unexpected size');
  expect(await inside(HOSTILE, INSTALL)).toEqual(ended(0));
});

test('containerd pulls what the registries have by their own names and certificates, and nothing else', async () => {
  expect(await inside(PLAIN, `apt-get -q update && ${INSTALL}`)).toMatchObject({ status: 0 });
  for (const image of ['registry.k8s.io/pause:3.10', 'calico/node:v3.30.3', 'ghcr.io/flannel-io/flannel:v0.27.3'])
    expect(await inside(PLAIN, pull(image))).toMatchObject({ status: 0 });
  const { said } = await inside(PLAIN, 'ctr --namespace k8s.io images check');
  expect(said).toMatch(/docker\.io\/calico\/node:v3\.30\.3 .* complete /);
  const refused = await inside(PLAIN, pull('nginx'));
  expect(refused.status).toBe(1);
  expect(refused.said).toContain('docker.io/library/nginx:latest: not found');
});

test('every third image that a hostile image asks for is refused as often as kubeadm tries, and then had', async () => {
  const answers: (number | undefined)[] = [];
  for (const image of ['a:1', 'b:1', 'c:1', 'c:1', 'c:1', 'c:1', 'c:1', 'c:1', 'd:1'])
    answers.push((await inside(HOSTILE, pull(`registry.k8s.io/${image}`))).status);
  expect(answers).toEqual([0, 0, 1, 1, 1, 1, 1, 0, 0]);
});

test('kubeadm tries five times to pull an image, and fails for one that is refused so often', async () => {
  const listed = await inside(PLAIN, 'kubeadm config images pull --kubernetes-version v1.34.1');
  expect(listed).toMatchObject({ status: 0 });
  const refused = await inside(HOSTILE, 'kubeadm config images pull --kubernetes-version v1.34.1');
  expect(refused.status).toBe(1);
  expect(refused.said).toMatch(
    /failed to pull image "registry\.k8s\.io\/kube-controller-manager:v1\.34\.1".*503 Service Unavailable/,
  );
});

test('kubeadm looks up a version that is not named: its own where nobody answers, and no page of HTML', async () => {
  const alone = await inside(PLAIN, 'kubeadm config images list');
  expect(alone.status).toBe(0);
  expect(alone.said).toContain('falling back to the local client version: v1.34.1');
  expect(alone.said).toContain('registry.k8s.io/kube-apiserver:v1.34.1');
  const misled = await inside(HOSTILE, 'kubeadm config images list');
  expect(misled.status).toBe(1);
  expect(misled.said).toMatch(/version "<!DOCTYPE html>[^]*doesn't match patterns/);
  expect((await inside(HOSTILE, 'kubeadm config images list --kubernetes-version v1.34.1')).status).toBe(0);
});

test("the CNI plugins' folder has the papers that the real package puts there, which no program can be", async () => {
  const { said } = await inside(PLAIN, 'cd /opt/cni/bin && ls && find . -type f ! -executable | sort');
  expect(said).toMatch(/LICENSE\n[^]*README\.md\n[^]*loopback[^]*\.\/LICENSE\n\.\/README\.md\n$/);
});
