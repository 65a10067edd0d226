import type { JsonObject } from '@windlass/foundation';
import type { RegisteredCluster } from '@windlass/messaging';

/** A kubeconfig as kubectl reads it, with one cluster, one user and one context, all of the VIM's name. */
export const kubeconfigOf = ({ name, authUrl, ca, token }: RegisteredCluster): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    {
      name,
      cluster: {
        server: authUrl,
        ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      },
    },
  ],
  users: [{ name, user: { token } }],
  contexts: [{ name, context: { cluster: name, user: name } }],
  'current-context': name,
});
