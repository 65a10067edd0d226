import { isJsonObject, minutes, seconds, waitUntil } from '@windlass/foundation';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import type { ClusterContext } from '../../node/node-context.js';
import { declared } from '../action.js';
import type { KubeCluster } from '../kube-cluster.js';
import type { ClusterStepInput } from '../node-input.js';
import { ADMIN_NAMESPACE, ADMIN_SECRET, adminAccount } from './admin-account.js';

/** How the cluster is administered from outside. A secret as a whole. */
export interface AdminAccount {
  bearerToken: string;
  /** PEM. */
  caCertificate: string;
}

/** Makes the account that the VIM is registered with. Its output is sealed in the journal, as every output is. */
export const createAdminAccount = implementAction(declared<ClusterStepInput, { account: AdminAccount }>('create-admin-account'), {
  check: async ({ cluster }: ClusterContext) => {
    const account = await readAccount(cluster);
    const bound = await cluster.ask(cmd`get clusterrolebinding windlass-admin -o json`);
    return account === undefined || bound === undefined ? false : present({ account });
  },
  apply: async ({ cluster, run }) => {
    await cluster.apply('create-admin-account', adminAccount);
    const account = await waitUntil(() => readAccount(cluster), {
      for: `the token in secret ${ADMIN_NAMESPACE}/${ADMIN_SECRET}, which the controller manager makes`,
      within: minutes(2),
      every: seconds(0.2),
      growth: 1.5,
      atMost: seconds(3),
      signal: run.signal,
    });
    return { account };
  },
  undo: async ({ cluster }) => {
    await cluster.remove('delete-admin-account', adminAccount);
  },
  stop: (context) => context.stop(),
  retry: { attempts: 5, backoff: seconds(5), growth: 2 },
});

async function readAccount(cluster: KubeCluster): Promise<AdminAccount | undefined> {
  const secret = await cluster.ask(cmd`-n ${ADMIN_NAMESPACE} get secret ${ADMIN_SECRET} -o json`);
  const data = isJsonObject(secret?.data) ? secret.data : {};
  const [token, ca] = [data.token, data['ca.crt']];
  if (typeof token !== 'string' || typeof ca !== 'string') return undefined;
  return { bearerToken: fromBase64(token), caCertificate: fromBase64(ca) };
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
