import { createPrivateKey, createPublicKey } from 'node:crypto';
import { startApiServer, type ApiServerSettings, type RunningApiServer } from '../api-server/server.js';
import { KubeClient } from '../client/kube-client.js';
import type { Access } from '../client/kubeconfig.js';
import { parseCidr } from '../kube/ip-range.js';
import { issueCertificate, newAuthority, newPrivateKey, type KeyPair } from '../pki/certificates.js';
import { MemoryStore } from '../store/memory-store.js';
import type { Store } from '../store/store.js';

/** The keys of one test cluster. */
export interface TestPki {
  ca: KeyPair;
  serving: KeyPair;
  accountKey: string;
}

export async function newTestPki(): Promise<TestPki> {
  const algorithm = 'ECDSA-P256';
  const [ca, accountKey] = await Promise.all([newAuthority('kubernetes', 10, algorithm), newPrivateKey('RSA-2048')]);
  const serving = await issueCertificate(ca, {
    commonName: 'kube-apiserver',
    usages: ['serverAuth'],
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
    days: 1,
    algorithm,
  });
  return { ca, serving, accountKey };
}

export interface TestApi extends RunningApiServer {
  pki: TestPki;
  url: string;
  settings: ApiServerSettings;
  /** Access with a new client certificate. */
  accessOf(user: string, ...groups: string[]): Promise<Access>;
  /** A client as a member of the superuser group. */
  admin: KubeClient;
  lines: string[];
}

/** Starts an API server on loopback with the given store, or a store in memory. */
export async function startTestApi(
  options: { store?: Store; pki?: TestPki; settings?: Partial<ApiServerSettings> } = {},
): Promise<TestApi> {
  const pki = options.pki ?? (await newTestPki());
  const lines: string[] = [];
  const range = parseCidr('10.96.0.0/12');
  if (range === undefined) throw new Error('unreachable');
  const settings: ApiServerSettings = {
    bindAddress: '127.0.0.1',
    port: 0,
    tls: { cert: pki.serving.cert, key: pki.serving.key, clientCa: pki.ca.cert },
    serviceAccounts: {
      issuer: 'https://kubernetes.default.svc.cluster.local',
      verificationKeys: [createPublicKey(createPrivateKey(pki.accountKey)).export({ type: 'spki', format: 'pem' }).toString()],
      signingKey: pki.accountKey,
    },
    bootstrapTokens: true,
    anonymous: true,
    serviceRange: range,
    advertiseAddress: '127.0.0.1',
    version: 'v1.34.1',
    log: (line) => lines.push(line),
    ...options.settings,
  };
  const server = await startApiServer(settings, options.store ?? new MemoryStore());
  const url = `https://127.0.0.1:${server.port}`;
  const accessOf = async (user: string, ...groups: string[]): Promise<Access> => {
    const pair = await issueCertificate(pki.ca, {
      commonName: user,
      organizations: groups,
      usages: ['clientAuth'],
      days: 1,
      algorithm: 'ECDSA-P256',
    });
    return { server: url, ca: pki.ca.cert, ...pair };
  };
  const admin = new KubeClient(await accessOf('kubernetes-admin', 'system:masters'));
  return {
    ...server,
    pki,
    url,
    settings,
    accessOf,
    admin,
    lines,
    close: async () => {
      admin.close();
      await server.close();
    },
  };
}
