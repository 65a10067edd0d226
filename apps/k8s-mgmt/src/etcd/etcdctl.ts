import { seconds, type Duration } from '@windlass/foundation';
import { cmd, type Command } from '@windlass/mgmt-driver';

const CRICTL = cmd`crictl --runtime-endpoint unix:///run/containerd/containerd.sock`;
const PKI = '/etc/kubernetes/pki/etcd';

/** The end points of the etcd on the node itself. */
export const OWN_ETCD = ['https://127.0.0.1:2379'];

/** How long one end point is waited for, unless what is asked takes longer. */
const PATIENCE = seconds(4);

/** The etcd container where Docker runs a node's containers, as scripts of packages set it up: under its kubelet's labels. */
const IN_DOCKER = cmd`docker ps --quiet --filter label=io.kubernetes.container.name=etcd --filter label=io.kubernetes.pod.namespace=kube-system`;

/**
 * etcdctl in the etcd container of a master. It is called through the container runtime, not through the API, which may be down together with etcd.
 * In the container are kubeadm's certificates, with which it may ask every member.
 */
export const etcdctl = (endpoints: readonly string[], words: readonly string[], within: Duration = PATIENCE): Command => {
  const argv = [
    'etcdctl',
    `--cacert=${PKI}/ca.crt`,
    `--cert=${PKI}/healthcheck-client.crt`,
    `--key=${PKI}/healthcheck-client.key`,
    `--command-timeout=${Math.ceil(within / 1_000)}s`,
    `--endpoints=${endpoints.join(',')}`,
    ...words,
  ];
  const find = cmd`${CRICTL} ps --quiet --state Running --name ${'^etcd$'} --label io.kubernetes.pod.namespace=kube-system`;
  // Without --sync, whose output is mixed with the answer, and dropped where etcdctl fails in part.
  const inContainerd = cmd`${CRICTL} exec "\${container%%[!0-9a-f]*}" ${argv}`;
  const inDocker = cmd`docker exec "\${container%%[!0-9a-f]*}" ${argv}`;
  const nowhere = cmd`[ "$found" != 0 ] || echo 'no etcd runs here' >&2; false`;
  return cmd`container=$(${find}); found=$?; if [ -n "$container" ]; then ${inContainerd}; elif command -v docker > /dev/null && container=$(${IN_DOCKER}) && [ -n "$container" ]; then ${inDocker}; else ${nowhere}; fi`;
};
