import { generateKeyPair, randomBytes } from 'node:crypto';
import { createHash, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { openssl } from './openssl.js';

const generate = promisify(generateKeyPair);

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** `ClusterConfiguration.encryptionAlgorithm` */
export type KeyAlgorithm = 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'ECDSA-P256' | 'ECDSA-P384';

export interface CertificateRequest {
  commonName: string;
  organizations?: readonly string[];
  /** `serverAuth`, `clientAuth` */
  usages: readonly ('serverAuth' | 'clientAuth')[];
  dnsNames?: readonly string[];
  addresses?: readonly string[];
  days: number;
  algorithm?: KeyAlgorithm;
}

export async function newPrivateKey(algorithm: KeyAlgorithm = 'RSA-2048'): Promise<string> {
  if (algorithm.startsWith('ECDSA-')) {
    const { privateKey } = await generate('ec', { namedCurve: algorithm.endsWith('P384') ? 'P-384' : 'P-256' });
    return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
  }
  const { privateKey } = await generate('rsa', { modulusLength: Number(algorithm.slice(4)) });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

/** openssl's `-subj` form; `/`, `=`, `+` and `\` inside a value are escaped. */
const subject = (commonName: string, organizations: readonly string[] = []): string => {
  const escaped = (value: string): string => value.replaceAll(/[/+\\=]/g, (char) => `\\${char}`);
  return [...organizations.map((name) => `/O=${escaped(name)}`), `/CN=${escaped(commonName)}`].join('');
};

const sans = (dnsNames: readonly string[] = [], addresses: readonly string[] = []): string =>
  [...dnsNames.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP:${address}`)].join(',');

const newSerial = (): string => `0x01${randomBytes(15).toString('hex')}`;

/** A self-signed certificate authority, as kubeadm makes them: ten years, and its own name as DNS SAN. */
export async function newAuthority(commonName: string, days = 3_650, algorithm: KeyAlgorithm = 'RSA-2048'): Promise<KeyPair> {
  const key = await newPrivateKey(algorithm);
  const config = [
    '[req]',
    'distinguished_name=dn',
    '[dn]',
    '[v3]',
    'basicConstraints=critical,CA:true',
    'keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign',
    'subjectKeyIdentifier=hash',
    `subjectAltName=DNS:${commonName}`,
    '',
  ].join('\n');
  const args = ['req', '-x509', '-new', '-sha256', '-key', 'key.pem', '-subj', subject(commonName), '-days', String(days)];
  const cert = await openssl([...args, '-set_serial', '0', '-config', 'req.cnf', '-extensions', 'v3'], {
    'key.pem': key,
    'req.cnf': config,
  });
  return { cert, key };
}

/** A certificate with a new key, signed by an authority. */
export async function issueCertificate(authority: KeyPair, request: CertificateRequest): Promise<KeyPair> {
  const key = await newPrivateKey(request.algorithm);
  const csr = await newSigningRequest(key, request);
  return { cert: await signRequest(authority, csr, request), key };
}

/** A PKCS#10 request for a key. */
export const newSigningRequest = (
  key: string,
  { commonName, organizations }: Pick<CertificateRequest, 'commonName' | 'organizations'>,
): Promise<string> =>
  openssl(['req', '-new', '-sha256', '-key', 'key.pem', '-subj', subject(commonName, organizations), '-config', 'req.cnf'], {
    'key.pem': key,
    'req.cnf': '[req]\ndistinguished_name=dn\n[dn]\n',
  });

/** Signs a PKCS#10 request with the given usages and SANs; the request's own extensions are not taken over. */
export async function signRequest(
  authority: KeyPair,
  csr: string,
  { usages, dnsNames, addresses, days }: Pick<CertificateRequest, 'usages' | 'dnsNames' | 'addresses' | 'days'>,
): Promise<string> {
  const names = sans(dnsNames, addresses);
  const extensions = [
    'basicConstraints=critical,CA:false',
    'keyUsage=critical,digitalSignature,keyEncipherment',
    `extendedKeyUsage=${usages.join(',')}`,
    'authorityKeyIdentifier=keyid',
    ...(names === '' ? [] : [`subjectAltName=${names}`]),
    '',
  ].join('\n');
  const args = ['x509', '-req', '-sha256', '-in', 'csr.pem', '-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-days', String(days)];
  return openssl([...args, '-set_serial', newSerial(), '-extfile', 'ext.cnf'], {
    'csr.pem': csr,
    'ca.pem': authority.cert,
    'ca-key.pem': authority.key,
    'ext.cnf': extensions,
  });
}

/** A certificate that only vouches for itself: for health ports on loopback. */
export async function newSelfSigned(commonName: string): Promise<KeyPair> {
  const key = await newPrivateKey('ECDSA-P256');
  const args = [
    'req',
    '-x509',
    '-new',
    '-sha256',
    '-key',
    'key.pem',
    '-subj',
    subject(commonName),
    '-days',
    '365',
    '-config',
    'req.cnf',
  ];
  return { cert: await openssl(args, { 'key.pem': key, 'req.cnf': '[req]\ndistinguished_name=dn\n[dn]\n' }), key };
}

export interface RequestSubject {
  commonName: string;
  organizations: string[];
}

/** The subject of a PKCS#10 request whose signature is good. @throws OpensslError if it is not */
export async function readSigningRequest(csr: string): Promise<RequestSubject> {
  const text = await openssl(['req', '-in', 'csr.pem', '-verify', '-noout', '-subject', '-nameopt', 'sep_multiline,utf8'], {
    'csr.pem': csr,
  });
  const values = (name: string): string[] =>
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith(`${name}=`))
      .map((line) => line.slice(name.length + 1));
  return { commonName: values('CN')[0] ?? '', organizations: values('O') };
}

/** `sha256:<hex>` over the public key (RFC 7469), as `--discovery-token-ca-cert-hash` takes it. */
export function publicKeyHash(cert: string): string {
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(spki).digest('hex')}`;
}
