import { minutes, seconds, waitUntil } from '@windlass/foundation';
import type { Finished } from '@windlass/lab';
import type { RealCluster } from './real-cluster.js';

/** Told to a VM when it is over. */
const OVER = '/run/kubeadm-may-live';

/** Ends each kubeadm that runs with a verb ($1) while a file ($2) is there, and says so. */
const KILLS = `
until [ -e ${OVER} ]; do
  [ -e "$2" ] && pkill -KILL -f "^kubeadm $1 " && echo killed
  sleep 0.05
done
`;

/** Kills each `kubeadm <verb>` once the file has come to be, on whatever server, until the operation rests: how many were killed. */
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
