import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PREPARE, startLabNodes, type LabNode, type LabNodes } from './testing/lab-nodes.js';

/** A command line for bash that a real node refuses: its exit status there, and words of its answer. */
interface Refusal {
  what: string;
  command: string;
  status: number;
  says: (string | RegExp)[];
}

const AS_NOBODY = 'setpriv --reuid=65534 --regid=65534 --clear-groups';
const NO_HASH = `sha256:${'0'.repeat(64)}`;
const TOKEN = 'abcdef.0123456789abcdef';

const JOIN_NOBODY = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery: {bootstrapToken: {token: ${TOKEN}, apiServerEndpoint: "127.0.0.1:6443", caCertHashes: ["${NO_HASH}"]}}
timeouts: {discovery: 1s}`;

let lab: LabNodes;
let master: LabNode;
let fresh: LabNode;

beforeAll(async () => {
  lab = await startLabNodes(['master10', 'worker11']);
  const [first, second] = lab.nodes;
  if (first === undefined || second === undefined) throw new Error('two nodes were asked for');
  [master, fresh] = [first, second];
  await Promise.all([master.bash(PREPARE), fresh.bash(PREPARE)]);
});
afterAll(() => lab.end());

async function isRefused(node: LabNode, { command, status, says }: Refusal): Promise<void> {
  const answer = await node.exec(['bash', '-c', command]);
  const text = `${answer.stdout}${answer.stderr}`;
  expect(answer.status, text).toBe(status);
  for (const words of says) expect(text).toMatch(words);
}

const file = (path: string, text: string): string => `cat > ${path} <<'EOF'\n${text}\nEOF\n`;

/** Of a node where nothing but the packages is: nothing of this may leave anything behind. */
const ON_A_FRESH_NODE: Refusal[] = [
  {
    what: 'kubeadm with a flag that init does not have',
    command: 'kubeadm init --pod-cidr 10.244.0.0/16',
    status: 1,
    says: ['unknown flag: --pod-cidr'],
  },
  {
    what: 'kubeadm with a command that it does not have',
    command: 'kubeadm start',
    status: 1,
    says: ['unknown command "start" for "kubeadm"'],
  },
  {
    what: 'kubeadm init with an API version that this release has forgotten',
    command: `${file('/root/old.yaml', 'apiVersion: kubeadm.k8s.io/v1beta1\nkind: InitConfiguration')}kubeadm init --config /root/old.yaml`,
    status: 1,
    says: ['kubeadm.k8s.io/v1beta1'],
  },
  {
    what: 'kubeadm init with a field that its configuration does not have',
    command: `${file('/root/wrong.yaml', 'apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nnetworking: {podCidr: 10.244.0.0/16}')}kubeadm init --config /root/wrong.yaml`,
    status: 1,
    says: ['unknown field "networking.podCidr"'],
  },
  {
    what: 'kubeadm init of one who is not root',
    command: `${AS_NOBODY} kubeadm init`,
    status: 1,
    says: ['[ERROR IsPrivilegedUser]: user is not running as root'],
  },
  {
    what: 'kubeadm init with swap on',
    command: `${file('/run/swaps', 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/swapfile                               file\t\t1048572\t\t0\t\t-2')}unshare --mount bash -c 'mount --bind /run/swaps /proc/swaps && kubeadm init'`,
    status: 1,
    says: ['[ERROR Swap]: running with swap on is not supported. Please disable swap'],
  },
  {
    what: 'kubeadm init when addresses are not forwarded',
    command: 'sysctl -qw net.ipv4.ip_forward=0; kubeadm init; status=$?; sysctl -qw net.ipv4.ip_forward=1; exit $status',
    status: 1,
    says: ['[ERROR FileContent--proc-sys-net-ipv4-ip_forward]'],
  },
  {
    what: 'kubeadm init when containerd is stopped',
    command: 'systemctl stop containerd; kubeadm init; status=$?; systemctl start containerd; exit $status',
    status: 1,
    says: ['[ERROR CRI]: could not connect to the container runtime'],
  },
  {
    what: 'kubeadm init under a name that no node may have',
    command: 'kubeadm init --node-name Bad_Name',
    status: 1,
    says: ['bad_name'],
  },
  { what: 'a token where there is no cluster', command: 'kubeadm token create', status: 1, says: ['no such file or directory'] },
  { what: 'a token that is none', command: 'kubeadm token create short', status: 1, says: ['was not of the form'] },
  {
    what: 'a join that pins no authority',
    command: `kubeadm join 127.0.0.1:6443 --token ${TOKEN}`,
    status: 1,
    says: ['without caCertHashes can be unsafe'],
  },
  {
    what: 'a join where nobody answers',
    command: `${file('/root/nobody.yaml', JOIN_NOBODY)}kubeadm join --config /root/nobody.yaml`,
    status: 1,
    says: [/connection refused|ECONNREFUSED/],
  },
  {
    what: 'kubectl without a kubeconfig',
    command: 'kubectl get nodes',
    status: 1,
    says: ['The connection to the server localhost:8080 was refused'],
  },
  {
    what: 'the kubelet with a flag that it does not have',
    command: 'kubelet --pod-cidrs=10.0.0.0/8',
    status: 1,
    says: ['unknown flag: --pod-cidrs'],
  },
  {
    what: 'the kubelet with a configuration that is not there',
    command: 'kubelet --config=/nowhere.yaml',
    status: 1,
    says: ['/nowhere.yaml'],
  },
  {
    what: 'crictl with a command that it does not have',
    command: 'crictl start all',
    status: 1,
    says: ["No help topic for 'start'"],
  },
  {
    what: 'a module that the kernel does not have',
    command: 'modprobe no_such_module',
    status: 1,
    says: ['FATAL: Module no_such_module not found in directory /lib/modules/'],
  },
];

describe('a node that is in no cluster', () => {
  it.each(ON_A_FRESH_NODE)('refuses $what', async (refusal) => {
    await isRefused(fresh, refusal);
    expect(await fresh.bash('ls -A /etc/kubernetes /var/lib/etcd 2>/dev/null | grep -v "^manifests$\\|:$" || true')).toBe('');
  });
});

/** `kubeadm join` as the master printed it, with something else in it. */
const joined = (token: string, from: RegExp, to: string): string => {
  const changed = token.replace(from, to);
  if (changed === token) throw new Error(`${token} has no ${from.source}`);
  return `timeout 60 ${changed}`;
};

describe('a cluster', () => {
  let join: string;

  beforeAll(async () => {
    await master.bash('kubeadm init --pod-network-cidr 10.244.0.0/16');
    join = (await master.bash('kubeadm token create --print-join-command')).trim();
  });

  it('is not made twice on one machine', () =>
    isRefused(master, {
      what: 'init',
      command: 'kubeadm init',
      status: 1,
      says: [
        '[ERROR Port-6443]: Port 6443 is in use',
        '[ERROR FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml]',
        '[ERROR Port-10250]: Port 10250 is in use',
        '[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty',
      ],
    }));

  it('is not joined by its own master', () =>
    isRefused(master, {
      what: 'join',
      command: join,
      status: 1,
      says: [
        '[ERROR DirAvailable--etc-kubernetes-manifests]: /etc/kubernetes/manifests is not empty',
        '[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists',
        '[ERROR FileAvailable--etc-kubernetes-pki-ca.crt]: /etc/kubernetes/pki/ca.crt already exists',
      ],
    }));

  it('is not joined with the right name of a token and a wrong secret', () =>
    isRefused(fresh, {
      what: 'join',
      command: joined(join, /(?<=\.)[a-z0-9]{16}/, '0123456789abcdef'),
      status: 1,
      says: ['failed to verify JWS signature of received cluster info object'],
    }));

  it('is not joined by one who pins another authority', () =>
    isRefused(fresh, {
      what: 'join',
      command: joined(join, /sha256:[0-9a-f]{64}/, NO_HASH),
      status: 1,
      says: [/none of the public keys "sha256:[0-9a-f]{64}" are pinned/],
    }));

  it('does not let anybody in with what is no longer a token, or none, and forbids a node what is not its own', async () => {
    const api = `https://${master.address}:6443`;
    const ca = '--certificate-authority=/etc/kubernetes/pki/ca.crt';
    await isRefused(master, {
      what: 'kubectl',
      command: `kubectl --server=${api} ${ca} --token=${TOKEN} get nodes`,
      status: 1,
      says: ['You must be logged in to the server'],
    });
    await isRefused(master, {
      what: 'kubectl',
      command: 'kubectl --kubeconfig /etc/kubernetes/kubelet.conf -n kube-system get secrets',
      status: 1,
      says: ['Error from server (Forbidden)'],
    });
    await isRefused(fresh, {
      what: 'kubectl',
      command: `kubectl --server=${api} --token=${TOKEN} get nodes`,
      status: 1,
      says: ['x509: certificate signed by unknown authority'],
    });
  });

  it('has its bootstrap tokens deleted by their type, and is joined with none of them afterwards', async () => {
    const tokens = '-n kube-system --field-selector=type=bootstrap.kubernetes.io/token';
    expect((await lab.kubectl(master, 'get', 'secrets', ...tokens.split(' '), '-o', 'name')).split('\n')).toHaveLength(2);
    await lab.kubectl(master, 'delete', 'secrets', ...tokens.split(' '));
    expect(await master.bash('kubeadm token list')).toBe('');
    const bootstrapToken = /--token (\S+)/.exec(join)?.[1] ?? '';
    const config = JOIN_NOBODY.replace('127.0.0.1:6443', `${master.address}:6443`).replace(TOKEN, bootstrapToken);
    await isRefused(fresh, {
      what: 'join',
      command: `${file('/root/late.yaml', config)}kubeadm join --config /root/late.yaml`,
      status: 1,
      says: ['could not find a JWS signature in the cluster-info ConfigMap for token ID'],
    });
    expect(await lab.kubectl(master, 'get', 'nodes', '-o', 'name')).toBe('node/master10');
  });
});
