import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command line of kubeadm, with the answer of the real kubeadm and of the stand-in. */
export interface KubeadmRow {
  what: string;
  /** The arguments, in which `FILE` becomes the path of the configuration. */
  args: readonly string[];
  config?: string;
  status: 0 | 1;
  /** Words in the answer. */
  says: string | RegExp;
}

const TOKEN = 'abcdef.0123456789abcdef';
const HASH = `sha256:${'0'.repeat(64)}`;
const KEY = '0'.repeat(64);
const BOOTSTRAP = `token: ${TOKEN}, apiServerEndpoint: "127.0.0.1:6443"`;
const DISCOVERY = `discovery: {bootstrapToken: {${BOOTSTRAP}, caCertHashes: ["${HASH}"]}}`;

const document = (kind: string, body: string): string => `apiVersion: kubeadm.k8s.io/v1beta4\nkind: ${kind}\n${body}\n`;
const cluster = (body: string): string => document('ClusterConfiguration', `kubernetesVersion: v1.34.4\n${body}`);
/** A configuration with the cluster's part, which names the version, so that kubeadm looks up none. */
const init = (body: string): string => `${document('InitConfiguration', body)}---\n${cluster('')}`;
const joining = (body: string): string => document('JoinConfiguration', body);

const validated = (what: string, config: string, says: string | RegExp, status: 0 | 1 = 1): KubeadmRow => ({
  what: `config validate: ${what}`,
  args: ['config', 'validate', '--config', 'FILE'],
  config,
  status,
  says,
});

const mixed = (command: 'init' | 'join', ...flags: [string, ...string[]]): KubeadmRow => ({
  what: `${command} --config beside ${flags[0]}`,
  args: [command, '--config', 'FILE', ...flags],
  config: command === 'init' ? cluster('') : joining(DISCOVERY),
  status: 1,
  says: `can not mix '--config' with arguments [${flags[0].slice(2)}]`,
});

const uploading = (
  what: string,
  says: string | RegExp,
  config = init(`certificateKey: "${KEY}"`),
  ...flags: string[]
): KubeadmRow => ({
  what: `upload-certs ${what}`,
  args: ['init', 'phase', 'upload-certs', '--config', 'FILE', ...flags],
  config,
  status: 1,
  says,
});

/** Command lines that the stand-in accepted or ended otherwise before it was compared with kubeadm 1.34.4, and command lines that both must accept. */
export const KUBEADM_ROWS: readonly KubeadmRow[] = [
  // Flags that are refused beside --config.
  mixed('init', '--certificate-key', KEY),
  mixed('init', '--cri-socket', 'unix:///run/x.sock'),
  mixed('init', '--pod-network-cidr', '10.0.0.0/8'),
  mixed('join', '--certificate-key', KEY),
  mixed('join', '--control-plane'),
  mixed('join', '--cri-socket', 'unix:///run/x.sock'),
  mixed('join', '--token', TOKEN),
  { ...mixed('init', '--upload-certs'), what: 'init --config beside --upload-certs', says: '[ERROR IsPrivilegedUser]' },
  { ...mixed('join', '--node-name', 'w1'), what: 'join --config beside --node-name', says: '[ERROR IsPrivilegedUser]' },
  // The key of a control plane's certificates is passed by a file alone; there is no cluster here to upload to.
  uploading(
    '--config beside --certificate-key',
    "can not mix '--config' with arguments [certificate-key]",
    undefined,
    '--upload-certs',
    '--certificate-key',
    KEY,
  ),
  uploading('by a file, its key not shown', 'admin.conf', undefined, '--upload-certs', '--skip-certificate-key-print'),
  uploading('with a key that is none', 'certificateKey: Invalid value', init('certificateKey: abc'), '--upload-certs'),
  uploading(
    'by a file about no cluster',
    'no InitConfiguration or ClusterConfiguration kind was found',
    joining(DISCOVERY),
    '--upload-certs',
  ),
  { ...uploading('without --upload-certs, which does nothing', 'Skipping phase'), status: 0 },
  {
    what: 'upload-certs with a folder of certificates',
    args: ['init', 'phase', 'upload-certs', '--cert-dir', '/tmp'],
    status: 1,
    says: 'unknown flag: --cert-dir',
  },
  {
    what: 'upload-certs with a key on the command line that is none',
    args: ['init', 'phase', 'upload-certs', '--upload-certs', '--certificate-key', 'abcd'],
    status: 1,
    says: 'certificateKey: Invalid value',
  },
  // Since 1.34, all failures have one status and are called errors.
  { what: 'a flag that there is not', args: ['init', '--pod-cidr', 'x'], status: 1, says: /^error: unknown flag: --pod-cidr/m },
  { what: 'a flag before any command', args: ['--nonsense'], status: 1, says: /^error: unknown flag: --nonsense/m },
  {
    what: 'preflight of one who is not root',
    args: ['init', '--kubernetes-version', 'v1.34.4'],
    status: 1,
    says: /^error: error execution phase preflight/m,
  },
  {
    what: 'a node name that none may have',
    args: ['init', '--kubernetes-version', 'v1.34.4', '--node-name', 'Bad_Name'],
    status: 1,
    says: 'nodeRegistration.name: Invalid value: "bad_name"',
  },
  {
    what: 'a join that pins no authority',
    args: ['join', '127.0.0.1:6443', '--token', TOKEN],
    status: 1,
    says: 'without caCertHashes can be unsafe',
  },
  {
    what: 'a join by a file and by an endpoint',
    args: ['join', '127.0.0.1:6443', '--discovery-file', '/nowhere'],
    status: 1,
    says: 'bootstrapToken and file cannot both be set',
  },
  {
    what: 'a worker’s join with flags of a control plane, which are taken',
    args: ['join', '127.0.0.1:6443', '--token', TOKEN, '--discovery-token-ca-cert-hash', HASH, '--certificate-key', KEY],
    status: 1,
    says: '[ERROR IsPrivilegedUser]',
  },
  {
    what: 'images of a file that is about no cluster',
    args: ['config', 'images', 'list', '--config', 'FILE'],
    config: joining(DISCOVERY),
    status: 1,
    says: 'no InitConfiguration or ClusterConfiguration kind was found',
  },
  // Refused values.
  validated('a good cluster', cluster('networking: {podSubnet: 10.244.0.0/16}'), 'ok', 0),
  validated('a good init', init(`bootstrapTokens: [{token: ${TOKEN}}]`), 'ok', 0),
  validated('a good join', joining(DISCOVERY), 'ok', 0),
  validated('a dry run', init('dryRun: true'), 'ok', 0),
  validated('keys on the curve P-384', cluster('encryptionAlgorithm: ECDSA-P384'), 'ok', 0),
  validated(
    'keys that are too short',
    cluster('encryptionAlgorithm: RSA-1024'),
    'encryptionAlgorithm: Invalid value: "RSA-1024"',
  ),
  validated('a feature that there is not', cluster('featureGates: {Nonsense: true}'), 'Nonsense is not a valid feature name'),
  validated(
    'a feature that there was',
    cluster('featureGates: {EtcdLearnerMode: true}'),
    'EtcdLearnerMode is not a valid feature name',
  ),
  validated('an argument without a name', cluster('apiServer: {extraArgs: [{name: "", value: b}]}'), 'argument has no name'),
  validated('etcd in a relative folder', cluster('etcd: {local: {dataDir: data}}'), 'etcd.local.dataDir: Invalid value: "data"'),
  validated('certificates in a relative folder', cluster('certificatesDir: pki'), 'certificatesDir: Invalid value: "pki"'),
  validated('a registry that is none', cluster('imageRepository: "Not Good"'), 'imageRepository: Invalid value: "Not Good"'),
  validated('an unknown field', cluster('networking: {podCidr: 10.0.0.0/8}'), 'unknown field "networking.podCidr"'),
  validated('a node name', init('nodeRegistration: {name: Bad_Name}'), 'nodeRegistration.name: Invalid value: "bad_name"'),
  validated('a pull policy', init('nodeRegistration: {imagePullPolicy: Sometimes}'), /imagePullPolicy.*"?Sometimes"?/),
  validated(
    'a kubelet’s argument without a name',
    init('nodeRegistration: {kubeletExtraArgs: [{name: "", value: x}]}'),
    'argument has no name',
  ),
  validated('a token', init('bootstrapTokens: [{token: short}]'), 'the bootstrap token "short" was not of the form'),
  validated('a token’s group', init(`bootstrapTokens: [{token: ${TOKEN}, groups: [bad]}]`), 'bad'),
  validated('a token’s use', init(`bootstrapTokens: [{token: ${TOKEN}, usages: [bad]}]`), 'bad'),
  validated(
    'a token that ends in two ways',
    init(`bootstrapTokens: [{token: ${TOKEN}, expires: "2030-01-01T00:00:00Z", ttl: 1h}]`),
    'mutually exclusive',
  ),
  validated('an address that is none', init('localAPIEndpoint: {advertiseAddress: nonsense}'), 'nonsense'),
  validated('a port that is none', init('localAPIEndpoint: {bindPort: 70000}'), 'port number is not valid'),
  validated('a certificate key', init('certificateKey: abc'), 'certificateKey: Invalid value'),
  validated('a join by nothing', joining('discovery: {}'), 'bootstrapToken or file must be set'),
  validated(
    'a join that pins nothing',
    joining(`discovery: {bootstrapToken: {${BOOTSTRAP}}}`),
    'without caCertHashes can be unsafe',
  ),
  validated(
    'a join to no port',
    joining(`discovery: {bootstrapToken: {token: ${TOKEN}, apiServerEndpoint: "127.0.0.1", unsafeSkipCAVerification: true}}`),
    'missing port in address',
  ),
  validated(
    'a join in two ways',
    joining(`discovery: {bootstrapToken: {${BOOTSTRAP}, caCertHashes: ["${HASH}"]}, file: {kubeConfigPath: /a}}`),
    'bootstrapToken and file cannot both be set',
  ),
  validated(
    'a join by a file that is not there',
    joining('discovery: {file: {kubeConfigPath: /nowhere}}'),
    'not a valid HTTPS URL or a file on disk',
  ),
  validated(
    'a join by a token that is none',
    joining(`discovery: {bootstrapToken: {token: short, apiServerEndpoint: "127.0.0.1:6443", caCertHashes: ["${HASH}"]}}`),
    'the bootstrap token is invalid',
  ),
  validated('a relative authority', joining(`${DISCOVERY}\ncaCertPath: ca.crt`), 'caCertPath: Invalid value: "ca.crt"'),
  validated(
    'a master’s address',
    joining(`${DISCOVERY}\ncontrolPlane: {localAPIEndpoint: {advertiseAddress: nonsense}}`),
    'nonsense',
  ),
  validated('a master’s key', joining(`${DISCOVERY}\ncontrolPlane: {certificateKey: abc}`), /[cC]ertificateKey: Invalid value/),
  validated(
    'a worker’s name',
    joining(`${DISCOVERY}\nnodeRegistration: {name: Bad_Name}`),
    'nodeRegistration.name: Invalid value: "bad_name"',
  ),
];

/** The answer of a kubeadm to a row, run by a user without rights, so that kubeadm changes nothing. */
export async function kubeadmAnswer(
  program: readonly string[],
  { args, config }: KubeadmRow,
): Promise<{ status: number; text: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-kubeadm-'));
  try {
    await chmod(folder, 0o755);
    const file = join(folder, 'config.yaml');
    await writeFile(file, config ?? '');
    const asked = [...program, ...args.map((arg) => (arg === 'FILE' ? file : arg))];
    return await new Promise((resolve) => {
      const options = { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder }, timeout: 60_000 };
      execFile('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...asked], options, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
        resolve({ status, text: `${stdout}${stderr}` });
      });
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
