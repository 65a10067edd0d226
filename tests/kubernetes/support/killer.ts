import { minutes, seconds, waitUntil } from '@windlass/foundation';
import type { Finished } from '@windlass/lab';
import type { RealCluster } from './real-cluster.js';

/** The file on a VM that ends the killing. */
const OVER = '/run/kubeadm-may-live';

/** Kills each kubeadm with a verb ($1) while a file ($2) exists, and prints a line. */
const KILLS = `
until [ -e ${OVER} ]; do
  [ -e "$2" ] && pkill -KILL -f "^kubeadm $1 " && echo killed
  sleep 0.05
done
`;

/** Kills each `kubeadm <verb>` on any server once the file exists, until the operation rests. Returns how many were killed. */
export async function killsKubeadm(
  { deployed: { api, lab } }: RealCluster,
  operation: string,
  verb: 'init' | 'join',
  file: string,
): Promise<number> {
  const killers = new Map<string, Promise<Finished>>();
  await waitUntil(
    async () => {
      for (const { id, status } of lab.emulator.inventory().flatMap(({ servers }) => servers))
        if (status === 'ACTIVE' && !killers.has(id))
          killers.set(id, lab.fleet.exec(id, ['sh', '-c', KILLS, 'sh', verb, file], { within: minutes(20) }));
      const { operationState } = await api.get(operation);
      return operationState === 'PROCESSING' || operationState === 'STARTING' ? undefined : true;
    },
    { for: `the operation to rest while each kubeadm ${verb} is killed`, within: minutes(20), every: seconds(0.5) },
  );
  for (const id of killers.keys()) await lab.fleet.exec(id, ['touch', OVER]);
  const said = await Promise.all(killers.values());
  for (const id of killers.keys()) await lab.fleet.exec(id, ['rm', OVER]);
  return said.flatMap(({ stdout }) => stdout.match(/killed/g) ?? []).length;
}
