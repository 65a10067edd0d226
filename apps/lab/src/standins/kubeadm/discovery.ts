import { millis, seconds, waitUntil } from '@windlass/foundation';
import { KubeClient } from '../client/kube-client.js';
import { loadKubeconfig, parseKubeconfig, type Access } from '../client/kubeconfig.js';
import type { ConfigMap } from '../kube/kinds.js';
import { BOOTSTRAP_TOKEN } from '../kube/names.js';
import { R } from '../kube/resources.js';
import { isClusterInfoSignedBy } from '../pki/bootstrap-signature.js';
import { publicKeyHash } from '../pki/certificates.js';
import type { JoinSettings } from './settings.js';

/** The cluster as a joining node knows it: where it is, whom to trust, and with which token to ask. */
export type JoinAccess = Required<Pick<Access, 'server' | 'ca'>> & Pick<Access, 'token' | 'cert' | 'key'>;

/**
 * Finds out whom to trust, by token or by file.
 * @throws Error in kubeadm's words: no answer in time, no signature for the token, a CA that is not pinned
 */
export async function discover({ discovery, tlsBootstrapToken, discoveryWithin }: JoinSettings): Promise<JoinAccess> {
  const found =
    discovery.kind === 'file' ? await discoverByFile(discovery.path) : await discoverByToken(discovery, discoveryWithin);
  return { ...found, ...(tlsBootstrapToken === '' ? {} : { token: tlsBootstrapToken }) };
}

async function discoverByFile(path: string): Promise<JoinAccess> {
  if (/^https?:/.test(path)) throw new Error(`discovery by URL (${path}): not in the windlass-lab stand-in`);
  const access = await loadKubeconfig(path);
  if (access.ca === undefined)
    throw new Error(
      `couldn't validate the identity of the API Server: the discovery file ${path} has no certificate-authority-data`,
    );
  return { ...access, ca: access.ca };
}

type TokenDiscovery = Extract<JoinSettings['discovery'], { kind: 'token' }>;

async function discoverByToken(discovery: TokenDiscovery, within: number): Promise<JoinAccess> {
  const { endpoint, token, caHashes, unsafe } = discovery;
  const server = `https://${endpoint}`;
  const content = await signedClusterInfo({ server, insecure: true }, token, within);
  const info = await parseKubeconfig(content, '/');
  if (info.ca === undefined)
    throw new Error("couldn't validate the identity of the API Server: the cluster-info ConfigMap has no CA");
  const hash = publicKeyHash(info.ca);
  if (!unsafe && !caHashes.some((pinned) => pinned.toLowerCase() === hash)) {
    throw new Error(
      `couldn't validate the identity of the API Server: cluster CA found in cluster-info ConfigMap is invalid: none of the public keys "${hash}" are pinned`,
    );
  }
  // Once more, over TLS with that CA: the same content must come.
  const again = await signedClusterInfo({ server, ca: info.ca }, token, within);
  if (again !== content) {
    throw new Error(
      "couldn't validate the identity of the API Server: the second kubeconfig from the cluster-info ConfigMap differs from the first one",
    );
  }
  return { server: info.server, ca: info.ca };
}

/** The `cluster-info` kubeconfig, when the token's signature over it is good. */
async function signedClusterInfo(access: Access, token: string, within: number): Promise<string> {
  const [, id = '', secret = ''] = BOOTSTRAP_TOKEN.exec(token) ?? [];
  const client = new KubeClient(access);
  try {
    return await waitUntil(
      async (seen) => {
        let map: ConfigMap;
        try {
          map = await client.get<ConfigMap>(R.configmaps, { namespace: 'kube-public', name: 'cluster-info' });
        } catch (error) {
          seen(error instanceof Error ? error.message : String(error));
          return undefined;
        }
        const content = map.data?.kubeconfig;
        const signature = map.data?.[`jws-kubeconfig-${id}`];
        if (content === undefined || signature === undefined) {
          seen(`could not find a JWS signature in the cluster-info ConfigMap for token ID "${id}"`);
          return undefined;
        }
        if (!isClusterInfoSignedBy(content, signature, id, secret))
          throw new Error("failed to verify JWS signature of received cluster info object, can't trust this API Server");
        return content;
      },
      { for: 'the cluster-info ConfigMap', within: millis(within), every: millis(250), growth: 1.5, atMost: seconds(5) },
    );
  } catch (error) {
    throw new Error(
      `couldn't validate the identity of the API Server: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    client.close();
  }
}
