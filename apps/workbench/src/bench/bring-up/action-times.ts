/** How much quicker everything takes place than it would. */
export const COMPRESSION = 20;

/** Seconds that actions of the Kubernetes driver take on real machines: packages 60 s in two steps, `kubeadm init` 90 s, a join 40 s. */
const REAL_SECONDS: Readonly<Record<string, number>> = {
  'inspect-nodes': 5,
  'prepare-node': 10,
  'install-runtime': 30,
  'connect-registries': 5,
  'install-kubernetes': 30,
  'install-nfs-client': 15,
  'set-up-storage': 60,
  'init-control-plane': 90,
  'install-network': 10,
  'join-control-plane': 60,
  'join-worker': 40,
  'verify-cluster': 20,
};

/** A few commands. */
const OTHERS = 2;

/** Milliseconds that the stand-in of an action takes. */
export const timeOf = (action: string): number => ((REAL_SECONDS[action] ?? OTHERS) * 1_000) / COMPRESSION;
