import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAuthority, publicKeyHash } from '../../pki/certificates.js';
import { openssl } from '../../pki/openssl.js';
import { runPhases } from '../output.js';
import { readCluster } from '../read-configuration.js';
import { certificatePhases, makeLeaves, writePair, type CertificateSetting } from './certificates.js';

let folder: string;
let setting: CertificateSetting;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'windlass-pki-'));
  const document = {
    certificatesDir: folder,
    encryptionAlgorithm: 'ECDSA-P256',
    controlPlaneEndpoint: 'api.example:16443',
    apiServer: { certSANs: ['10.0.0.9'] },
    etcd: { local: { serverCertSANs: ['etcd.example'] } },
  };
  setting = {
    cluster: readCluster(document, 'v1.34.1'),
    nodeName: 'master11',
    local: { advertiseAddress: '10.0.0.1', bindPort: 6443 },
    io: { out: (text) => lines.push(text.trimEnd()), err: () => undefined },
  };
  await runPhases(certificatePhases(setting), []);
});
afterAll(() => rm(folder, { recursive: true }));

const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
const certificate = async (name: string): Promise<X509Certificate> => new X509Certificate(await text(`${name}.crt`));

describe("kubeadm's certificates", () => {
  it.each([
    ['apiserver', 'ca', 'CN=kube-apiserver'],
    ['apiserver-kubelet-client', 'ca', 'O=kubeadm:cluster-admins\nCN=kube-apiserver-kubelet-client'],
    ['front-proxy-client', 'front-proxy-ca', 'CN=front-proxy-client'],
    ['etcd/server', 'etcd/ca', 'CN=master11'],
    ['etcd/peer', 'etcd/ca', 'CN=master11'],
    ['etcd/healthcheck-client', 'etcd/ca', 'CN=kube-etcd-healthcheck-client'],
    ['apiserver-etcd-client', 'etcd/ca', 'CN=kube-apiserver-etcd-client'],
  ])('%s is signed by %s for %s, its key goes with it, and openssl agrees', async (name, authority, subject) => {
    const [found, issuer] = await Promise.all([certificate(name), certificate(authority)]);
    expect(found.subject).toBe(subject);
    expect(found.verify(issuer.publicKey)).toBe(true);
    expect(found.publicKey.export({ type: 'spki', format: 'pem' })).toBe(
      createPublicKey(await text(`${name}.key`)).export({ type: 'spki', format: 'pem' }),
    );
    await expect(
      openssl(['verify', '-CAfile', 'ca.pem', 'cert.pem'], { 'ca.pem': issuer.toString(), 'cert.pem': found.toString() }),
    ).resolves.toContain('OK');
    expect((await stat(join(folder, `${name}.key`))).mode & 0o777).toBe(0o600);
  });

  it('name all that the API server and etcd are reached by', async () => {
    const names = (await certificate('apiserver')).subjectAltName ?? '';
    for (const name of [
      'DNS:kubernetes.default.svc.cluster.local',
      'DNS:master11',
      'DNS:api.example',
      'IP Address:10.96.0.1',
      'IP Address:10.0.0.1',
      'IP Address:10.0.0.9',
    ]) {
      expect(names).toContain(name);
    }
    const etcd = (await certificate('etcd/server')).subjectAltName ?? '';
    for (const name of ['DNS:localhost', 'DNS:etcd.example', 'IP Address:127.0.0.1', 'IP Address:10.0.0.1'])
      expect(etcd).toContain(name);
  });

  it('hash as the documented line of openssl and sha256 does', async () => {
    const pem = await openssl(['x509', '-in', 'ca.pem', '-pubkey', '-noout'], { 'ca.pem': await text('ca.crt') });
    const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    expect(publicKeyHash(await text('ca.crt'))).toBe(`sha256:${createHash('sha256').update(der).digest('hex')}`);
  });

  it('are left alone when they are there', async () => {
    const before = await text('apiserver.crt');
    lines.length = 0;
    await runPhases(certificatePhases(setting), []);
    expect(await text('apiserver.crt')).toBe(before);
    expect(lines).toContain('[certs] Using existing ca certificate authority');
  });

  it('are refused when another authority signed them', async () => {
    await writePair(folder, 'ca', await newAuthority('kubernetes', 1, 'ECDSA-P256'));
    await expect(makeLeaves(setting)).rejects.toThrow('is not signed by corresponding CA');
  });
});
