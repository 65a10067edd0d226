import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLANNEL, PREPARE, startLabNodes, type LabNode, type LabNodes } from './testing/lab-nodes.js';

let lab: LabNodes;
let master: LabNode;
let worker: LabNode;

beforeAll(async () => {
  lab = await startLabNodes(['master10', 'worker11']);
  const [first, second] = lab.nodes;
  if (first === undefined || second === undefined) throw new Error('two nodes were asked for');
  [master, worker] = [first, second];
});
afterAll(() => lab.end());

const failed = async (node: LabNode, ...argv: string[]): Promise<{ status: number | undefined; text: string }> => {
  const { status, stdout, stderr } = await node.exec(argv);
  return { status, text: `${stdout}${stderr}` };
};

/** Status of each node by name, as `kubectl get nodes` prints it. */
const statuses = async (): Promise<Record<string, string>> => {
  const rows = (await lab.kubectl(master, 'get', 'nodes', '--no-headers')).split('\n').map((row) => row.split(/\s+/));
  return Object.fromEntries(rows.map(([name = '', status = '']) => [name, status]));
};

const allAre = (wanted: Record<string, string>): Promise<unknown> =>
  lab.eventually(`nodes to be ${JSON.stringify(wanted)}`, async (seen) => {
    const found = await statuses();
    seen(JSON.stringify(found));
    return JSON.stringify(found) === JSON.stringify(wanted) ? true : undefined;
  });

const joinCommand = async (): Promise<string[]> =>
  (await master.bash('kubeadm token create --print-join-command')).trim().split(/\s+/);

describe('a cluster in lab VMs', () => {
  it('is refused by preflight on a node that nobody has prepared', async () => {
    await master.bash(
      'apt-get update > /dev/null; DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends kubeadm=1.33.5-1.1 kubelet=1.33.5-1.1 > /dev/null',
    );
    expect(await master.bash('kubeadm version -o short')).toBe('v1.33.5');
    const { status, text } = await failed(master, 'kubeadm', 'init');
    expect(status).toBe(2);
    expect(text).toContain('[ERROR CRI]: could not connect to the container runtime');
    expect(text).toContain('connect: no such file or directory');
    expect(text).toContain(
      '[ERROR FileContent--proc-sys-net-ipv4-ip_forward]: /proc/sys/net/ipv4/ip_forward contents are not set to 1',
    );
  });

  it('takes the packages in the version that is asked for, on both nodes at once', async () => {
    await Promise.all([master.bash(PREPARE), worker.bash(PREPARE)]);
    expect(await master.bash('kubeadm version -o short; kubelet --version; kubectl version --client --short')).toBe(
      'v1.34.1\nKubernetes v1.34.1\nClient Version: v1.20.2',
    );
  });

  it('does not come up when containerd and kubelet disagree on cgroups', async () => {
    await worker.bash(
      "sed -i 's/SystemdCgroup = true/SystemdCgroup = false/' /etc/containerd/config.toml && systemctl restart containerd && mkdir -p /var/lib/kubelet",
    );
    await worker.bash(
      'cat > /var/lib/kubelet/config.yaml',
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncgroupDriver: systemd\n',
    );
    const { status, text } = await failed(worker, 'kubelet', '--config=/var/lib/kubelet/config.yaml');
    await worker.bash(
      "rm /var/lib/kubelet/config.yaml; sed -i 's/SystemdCgroup = false/SystemdCgroup = true/' /etc/containerd/config.toml && systemctl restart containerd",
    );
    expect(status).toBe(1);
    expect(text).toContain('kubelet cgroup driver: "systemd" is different from container runtime cgroup driver: "cgroupfs"');
  });

  it('begins with kubeadm init from a file, and is not ready before its network', async () => {
    const config = `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: {advertiseAddress: ${master.address}}
nodeRegistration: {name: master10, kubeletExtraArgs: [{name: node-ip, value: ${master.address}}]}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.34.1
networking: {podSubnet: 10.244.0.0/16}
apiServer: {certSANs: [${master.address}, cluster.example]}
`;
    await master.bash('cat > /root/kubeadm.yaml', config);
    const output = await master.bash('kubeadm init --config /root/kubeadm.yaml');
    expect(output).toContain('Your Kubernetes control-plane has initialized successfully!');
    expect(await statuses()).toEqual({ master10: 'NotReady' });
    const message = await lab.kubectl(
      master,
      'get',
      'node',
      'master10',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="Ready")].message}',
    );
    expect(message).toContain('cni plugin not initialized');
    expect((await failed(master, 'kubeadm', 'init')).text).toContain('[ERROR Port-6443]: Port 6443 is in use');
    expect(await master.bash('openssl x509 -in /etc/kubernetes/pki/apiserver.crt -noout -text')).toContain('DNS:cluster.example');
  });

  it('refuses a node that pins another authority, or has no token', async () => {
    const command = await joinCommand();
    const pinned = command.map((word) => (word.startsWith('sha256:') ? `sha256:${'0'.repeat(64)}` : word));
    expect((await failed(worker, ...pinned)).text).toMatch(
      /cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "sha256:[0-9a-f]{64}" are pinned/,
    );
    const config = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery: {bootstrapToken: {token: abcdef.0123456789abcdef, apiServerEndpoint: "${master.address}:6443", unsafeSkipCAVerification: true}}
timeouts: {discovery: 2s}
`;
    await worker.bash('cat > /root/join.yaml', config);
    expect((await failed(worker, 'kubeadm', 'join', '--config', '/root/join.yaml')).text).toContain(
      'could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
    );
  });

  it('grows by a worker, and is ready when the network add-on runs', async () => {
    const { stdout } = await worker.exec(await joinCommand());
    expect(stdout).toContain('This node has joined the cluster');
    await master.bash('kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f -', FLANNEL);
    await allAre({ master10: 'Ready', worker11: 'Ready' });
    expect(await worker.bash('ls /etc/cni/net.d')).toBe('10-flannel.conflist');
    await lab.kubectl(master, '-n', 'kube-system', 'rollout', 'status', 'deployment/coredns', '--timeout=150s');
  });

  it('refuses a second node of that name', async () => {
    const again = await joinCommand();
    const { text } = await failed(worker, ...again);
    expect(text).toContain('[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists');
  });

  it('says why pods do not run: an image that nobody has, a node that is not ready', async () => {
    await lab.kubectl(master, 'create', 'deployment', 'nowhere', '--image=registry.example/app:1');
    const reason = await lab.eventually('the image to be refused', async (seen) => {
      const found = await lab.kubectl(
        master,
        'get',
        'pods',
        '-l',
        'app=nowhere',
        '-o',
        'jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}',
      );
      seen(found);
      return found === '' ? undefined : found;
    });
    expect(reason).toBe('ImagePullBackOff');
    await lab.kubectl(master, 'delete', 'deployment', 'nowhere');
  });

  it('notices within seconds that a container runtime is gone, and that it is back', async () => {
    await worker.bash('systemctl stop containerd');
    await allAre({ master10: 'Ready', worker11: 'NotReady' });
    await worker.bash('systemctl start containerd');
    await allAre({ master10: 'Ready', worker11: 'Ready' });
  });

  it('lets etcdctl see its member with the certificates that kubeadm made', async () => {
    const flags =
      '--endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/healthcheck-client.crt --key=/etc/kubernetes/pki/etcd/healthcheck-client.key';
    expect(await master.bash(`etcdctl ${flags} member list`)).toContain(
      `, started, master10, https://${master.address}:2380, https://${master.address}:2379, false`,
    );
  });

  it('survives a reboot of its master', async () => {
    await lab.fleet.reboot(master.serverId);
    await lab.fleet.ready(master.serverId);
    await lab.eventually('the API server to answer', async (seen) => {
      const { status, stderr } = await master.exec(['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', 'get', 'nodes']);
      seen(stderr);
      return status === 0 ? true : undefined;
    });
    await allAre({ master10: 'Ready', worker11: 'Ready' });
  });

  it('shrinks: drain, delete, reset, and the same node joins again', async () => {
    await lab.kubectl(master, 'create', 'deployment', 'web', '--image=registry.k8s.io/pause:3.10', '--replicas=2');
    await lab.kubectl(master, 'rollout', 'status', 'deployment/web', '--timeout=150s');
    expect(await lab.kubectl(master, 'drain', 'worker11', '--ignore-daemonsets', '--timeout=150s')).toContain(
      'node/worker11 evicted',
    );
    await lab.kubectl(master, 'delete', 'node', 'worker11');
    expect((await failed(worker, 'kubeadm', 'reset')).text).toContain('aborted reset operation');
    expect(await worker.bash('kubeadm reset --force')).toContain('[reset] Deleting contents of directories');
    expect(await statuses()).toEqual({ master10: 'Ready' });
    expect(await worker.bash('ls -A /var/lib/kubelet /etc/kubernetes/manifests; ls /etc/kubernetes')).not.toContain(
      'kubelet.conf',
    );
    await worker.exec(await joinCommand());
    await allAre({ master10: 'Ready', worker11: 'Ready' });
    await lab.kubectl(master, 'rollout', 'status', 'deployment/web', '--timeout=150s');
  });

  it('ends with a reset that leaves ports and folders for the next init', async () => {
    await worker.bash('kubeadm reset --force');
    await master.bash('kubeadm reset --force');
    expect(await master.bash("systemctl list-units --no-legend 'windlass-lab-pod-*'")).toBe('');
    await master.bash('rm -rf /etc/cni/net.d && systemctl restart containerd && kubeadm init --pod-network-cidr 10.244.0.0/16');
    expect(await statuses()).toEqual({ master10: 'NotReady' });
  });
});
