import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { readIfThere, writeWhole } from '../../host/files.js';
import { addressAt, isIpv4, parseCidr } from '../../kube/ip-range.js';
import { issueCertificate, newAuthority, newPrivateKey, type CertificateRequest, type KeyPair } from '../../pki/certificates.js';
import { line, saying, type Phase } from '../output.js';
import { endpointOf, type ClusterSettings, type Endpoint } from '../settings.js';
import type { Io } from '../../cli/program.js';

/** Where certificates go, and whom they are for. */
export interface CertificateSetting {
  cluster: ClusterSettings;
  nodeName: string;
  local: Endpoint;
  io: Io;
}

/** Reads a pair from the folder; undefined unless both files are there. */
export async function readPair(folder: string, name: string): Promise<KeyPair | undefined> {
  const [cert, key] = await Promise.all([readIfThere(join(folder, `${name}.crt`)), readIfThere(join(folder, `${name}.key`))]);
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

export async function writePair(folder: string, name: string, { cert, key }: KeyPair): Promise<void> {
  await Promise.all([writeWhole(join(folder, `${name}.crt`), cert, 0o644), writeWhole(join(folder, `${name}.key`), key)]);
}

/** A pair that must be there. @throws Error naming the file */
export async function requirePair(folder: string, name: string): Promise<KeyPair> {
  const pair = await readPair(folder, name);
  if (pair === undefined)
    throw new Error(
      `failure loading certificate for ${name}: couldn't load the certificate file ${join(folder, `${name}.crt`)}: open ${join(folder, `${name}.crt`)}: no such file or directory`,
    );
  return pair;
}

const AUTHORITIES = [
  { phase: 'ca', file: 'ca', commonName: 'kubernetes' },
  { phase: 'front-proxy-ca', file: 'front-proxy-ca', commonName: 'front-proxy-ca' },
  { phase: 'etcd-ca', file: 'etcd/ca', commonName: 'etcd-ca' },
];

interface Leaf {
  phase: string;
  file: string;
  authority: string;
  request: (setting: CertificateSetting) => Omit<CertificateRequest, 'days'>;
}

const client =
  (commonName: string, organizations: string[] = []) =>
  () => ({ commonName, organizations, usages: ['clientAuth'] as const });

const LEAVES: Leaf[] = [
  {
    phase: 'apiserver',
    file: 'apiserver',
    authority: 'ca',
    request: (setting) => ({ commonName: 'kube-apiserver', usages: ['serverAuth'], ...apiServerNames(setting) }),
  },
  {
    phase: 'apiserver-kubelet-client',
    file: 'apiserver-kubelet-client',
    authority: 'ca',
    request: client('kube-apiserver-kubelet-client', ['kubeadm:cluster-admins']),
  },
  { phase: 'front-proxy-client', file: 'front-proxy-client', authority: 'front-proxy-ca', request: client('front-proxy-client') },
  {
    phase: 'etcd-server',
    file: 'etcd/server',
    authority: 'etcd/ca',
    request: (setting) => etcdRequest(setting, setting.cluster.etcd.serverSans),
  },
  {
    phase: 'etcd-peer',
    file: 'etcd/peer',
    authority: 'etcd/ca',
    request: (setting) => etcdRequest(setting, setting.cluster.etcd.peerSans),
  },
  {
    phase: 'etcd-healthcheck-client',
    file: 'etcd/healthcheck-client',
    authority: 'etcd/ca',
    request: client('kube-etcd-healthcheck-client'),
  },
  {
    phase: 'apiserver-etcd-client',
    file: 'apiserver-etcd-client',
    authority: 'etcd/ca',
    request: client('kube-apiserver-etcd-client'),
  },
];

/** What the API server's certificate is good for. */
export function apiServerNames({ cluster, nodeName, local }: CertificateSetting): { dnsNames: string[]; addresses: string[] } {
  const services = parseCidr(cluster.serviceSubnet);
  const host = endpointOf(cluster, local).split(':')[0] ?? '';
  const extra = [host, ...cluster.apiServer.certSans];
  const dns = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${cluster.dnsDomain}`,
    nodeName,
  ];
  return {
    dnsNames: [...new Set([...dns, ...extra.filter((name) => !isIpv4(name))])],
    addresses: [
      ...new Set([...(services === undefined ? [] : [addressAt(services, 1)]), local.advertiseAddress, ...extra.filter(isIpv4)]),
    ],
  };
}

function etcdRequest({ nodeName, local }: CertificateSetting, extra: readonly string[]): Omit<CertificateRequest, 'days'> {
  return {
    commonName: nodeName,
    // etcd's JSON gateway, and its members among each other, are clients with the same certificate.
    usages: ['serverAuth', 'clientAuth'],
    dnsNames: [...new Set(['localhost', nodeName, ...extra.filter((name) => !isIpv4(name))])],
    addresses: [...new Set([local.advertiseAddress, '127.0.0.1', '::1', ...extra.filter(isIpv4)])],
  };
}

/** The phases of `kubeadm init phase certs`. Files that are there are used, if their pair is complete. */
export function certificatePhases(setting: CertificateSetting): Phase[] {
  const { io, cluster } = setting;
  return [
    saying('certs', io, `[certs] Using certificateDir folder "${cluster.certificatesDir}"`),
    ...AUTHORITIES.map((authority) => ({
      name: `certs/${authority.phase}`,
      group: 'authorities',
      run: () => makeAuthority(authority, setting),
    })),
    ...LEAVES.map((leaf) => ({ name: `certs/${leaf.phase}`, group: 'leaves', run: () => makeLeaf(leaf, setting) })),
    { name: 'certs/sa', group: 'leaves', run: () => makeAccountKey(cluster, io) },
  ];
}

async function makeAuthority(
  { file, phase, commonName }: (typeof AUTHORITIES)[number],
  { cluster, io }: CertificateSetting,
): Promise<void> {
  const known = await readPair(cluster.certificatesDir, file);
  if (known !== undefined) {
    if (!new X509Certificate(known.cert).ca) throw new Error(`error creating ${phase}: the certificate is not a CA`);
    line(io, `[certs] Using existing ${phase} certificate authority`);
    return;
  }
  if ((await readIfThere(join(cluster.certificatesDir, `${file}.crt`))) !== undefined) {
    throw new Error(`external CA mode (${file}.crt without its key): not in the windlass-lab stand-in`);
  }
  await writePair(cluster.certificatesDir, file, await newAuthority(commonName, cluster.caDays, cluster.algorithm));
  line(io, `[certs] Generating "${phase.replace(/^etcd-/, 'etcd/')}" certificate and key`);
}

/** The certificates below the authorities that are in the folder: what a joining control plane node makes for itself. */
export async function makeLeaves(setting: CertificateSetting): Promise<void> {
  line(setting.io, `[certs] Using certificateDir folder "${setting.cluster.certificatesDir}"`);
  await Promise.all(LEAVES.map((leaf) => makeLeaf(leaf, setting)));
}

async function makeLeaf({ phase, file, authority, request }: Leaf, setting: CertificateSetting): Promise<void> {
  const { cluster, io } = setting;
  const issuer = await requirePair(cluster.certificatesDir, authority);
  if (await isUsable(cluster.certificatesDir, file, issuer)) {
    line(io, `[certs] Using existing ${phase} certificate and key on disk`);
    return;
  }
  const wanted = request(setting);
  await writePair(
    cluster.certificatesDir,
    file,
    await issueCertificate(issuer, { ...wanted, days: cluster.certificateDays, algorithm: cluster.algorithm }),
  );
  const shown = phase.replace(/^etcd-/, 'etcd/');
  line(io, `[certs] Generating "${shown}" certificate and key`);
  if (wanted.dnsNames !== undefined) {
    line(
      io,
      `[certs] ${shown} serving cert is signed for DNS names [${wanted.dnsNames.join(' ')}] and IPs [${(wanted.addresses ?? []).join(' ')}]`,
    );
  }
}

/** Whether a pair is there and signed by that authority. @throws Error when it is there and signed by another */
async function isUsable(folder: string, file: string, issuer: KeyPair): Promise<boolean> {
  const pair = await readPair(folder, file);
  if (pair === undefined) return false;
  const authority = new X509Certificate(issuer.cert);
  if (!new X509Certificate(pair.cert).verify(authority.publicKey)) {
    throw new Error(`certificate ${file} is not signed by corresponding CA`);
  }
  return true;
}

async function makeAccountKey({ certificatesDir }: ClusterSettings, io: Io): Promise<void> {
  if ((await readIfThere(join(certificatesDir, 'sa.key'))) !== undefined) {
    line(io, '[certs] Using the existing "sa" key');
    return;
  }
  const key = await newPrivateKey('RSA-2048');
  const pub = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' }).toString();
  await writeWhole(join(certificatesDir, 'sa.key'), key);
  await writeWhole(join(certificatesDir, 'sa.pub'), pub);
  line(io, '[certs] Generating "sa" key and public key');
}
