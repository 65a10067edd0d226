import { millis, seconds, waitUntil, type Duration } from '@windlass/foundation';
import { readIfThere } from '../../host/files.js';
import type { KubeClient } from '../../client/kube-client.js';
import type { Pod } from '../../kube/kinds.js';
import { R } from '../../kube/resources.js';
import { EtcdClient, EtcdError, type EtcdMember } from '../../store/etcd-client.js';
import type { EtcdPeer } from './manifests.js';

const ADVERTISED = 'kubeadm.kubernetes.io/etcd.advertise-client-urls';

/** Client addresses of the etcd members, from the annotations of their pods. */
export async function etcdEndpoints(client: KubeClient): Promise<string[]> {
  const { items } = await client.list<Pod>(
    R.pods,
    { namespace: 'kube-system' },
    'labelSelector=component%3Detcd%2Ctier%3Dcontrol-plane',
  );
  return items.flatMap((pod) => (pod.metadata.annotations?.[ADVERTISED] ?? '').split(',')).filter((url) => url !== '');
}

/** A client with the certificates that kubeadm uses for etcd. @throws Error when they are not there */
export async function etcdClient(
  endpoints: readonly string[],
  certificatesDir: string,
  within: Duration = seconds(5),
): Promise<EtcdClient> {
  const read = async (file: string): Promise<string> => {
    const content = await readIfThere(`${certificatesDir}/etcd/${file}`);
    if (content === undefined)
      throw new Error(`error creating etcd client: open ${certificatesDir}/etcd/${file}: no such file or directory`);
    return content;
  };
  const [ca, cert, key] = await Promise.all([read('ca.crt'), read('healthcheck-client.crt'), read('healthcheck-client.key')]);
  return new EtcdClient({ endpoints, ca, cert, key }, within);
}

/** Every member must answer: a dead one has to be removed before a new one may join. @throws Error naming it */
export async function checkHealth(etcd: EtcdClient, certificatesDir: string): Promise<void> {
  const members = await etcd.members();
  await Promise.all(
    members.flatMap(({ clientURLs = [], name = '' }) =>
      clientURLs.slice(0, 1).map(async (url) => {
        const single = await etcdClient([url], certificatesDir);
        try {
          await single.call('/v3/maintenance/status', {});
        } catch (error) {
          throw new Error(
            `etcd cluster is not healthy: failed to dial endpoint ${url} of member ${name}: ${error instanceof Error ? error.message : String(error)}`,
          );
        } finally {
          single.close();
        }
      }),
    ),
  );
}

/** Announces a new member as a learner: it does not count for the quorum until it has caught up. Returns the members that are there. */
export async function announceMember(etcd: EtcdClient, peerUrl: string): Promise<EtcdPeer[]> {
  const before = await etcd.members();
  const known = before.find((member) => member.peerURLs.includes(peerUrl));
  if (known === undefined) await addLearner(etcd, peerUrl);
  return before
    .filter((member) => !member.peerURLs.includes(peerUrl))
    .map(({ name = '', peerURLs }) => ({ name, peerUrl: peerURLs[0] ?? '' }));
}

/** etcd takes one learner at a time, and no change while it has no leader. */
const addLearner = (etcd: EtcdClient, peerUrl: string): Promise<unknown> =>
  patiently(`etcd to accept the member ${peerUrl}`, () =>
    etcd.call('/v3/cluster/member/add', { peerURLs: [peerUrl], isLearner: true }),
  );

/** Makes the learner a voting member, as soon as it has caught up. */
export const promoteMember = (etcd: EtcdClient, peerUrl: string): Promise<unknown> =>
  patiently(`the member ${peerUrl} to catch up`, async () => {
    const member = (await etcd.members()).find(({ peerURLs }) => peerURLs.includes(peerUrl));
    if (member === undefined) throw new Error(`etcd has no member ${peerUrl}`);
    if (member.isLearner !== true) return true;
    return etcd.call('/v3/cluster/member/promote', { ID: member.ID });
  });

function patiently<T>(what: string, action: () => Promise<T>): Promise<T> {
  return waitUntil(
    async (seen) => {
      try {
        return await action();
      } catch (error) {
        // etcd's own refusals pass; anything else is reported at once.
        if (!(error instanceof EtcdError)) throw error;
        seen(error.message);
        return undefined;
      }
    },
    { for: what, within: seconds(40), every: millis(200), growth: 1.3, atMost: seconds(2) },
  );
}

/** The member with that peer address, or undefined. */
export const memberAt = async (etcd: EtcdClient, peerUrl: string): Promise<EtcdMember | undefined> =>
  (await etcd.members()).find(({ peerURLs }) => peerURLs.includes(peerUrl));

export const removeMember = (etcd: EtcdClient, id: string): Promise<unknown> =>
  patiently(`etcd to remove the member ${id}`, () => etcd.call('/v3/cluster/member/remove', { ID: id }));
