import { minutes, type JsonObject } from '@windlass/foundation';
import { operationWarnings, type StepView } from '@windlass/windlass';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodesCome } from '../support/nodes-come.js';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';
import { killService } from '../support/killed-services.js';
import type { ShownVnfc } from '../support/shown-vnfc.js';

let deployed: Deployed;
let path: string;
let steps: readonly StepView[] = [];

beforeAll(async () => {
  deployed = await startDeployed({ ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '20' });
  const { path: instance, request } = await newCluster(deployed);
  path = instance;
  expect(await ended(await deployed.api.accept(`${path}/instantiate`, request))).toMatchObject({ operationState: 'COMPLETED' });
});

afterAll(() => deployed.close());

const ended = (opOccPath: string, look: (steps: readonly StepView[]) => void = () => undefined): Promise<JsonObject> =>
  deployed.api.follow(opOccPath, minutes(8), (seen) => {
    steps = seen;
    look(seen);
  });

async function vnfcs(vduId: string): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
  return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
}

const serverOf = ({ computeResource }: ShownVnfc): string => computeResource.resourceId;

/** kubectl on the master, by its administrator's file. */
async function kubectl(...words: string[]): Promise<string> {
  const [master] = await vnfcs('masterNode');
  const argv = ['kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', ...words];
  const { status, stdout, stderr } = await deployed.lab.fleet.exec(serverOf(master!), argv);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const READY = '{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
const readyNodes = async (): Promise<string[]> => (await kubectl('get', 'nodes', '-o', `jsonpath=${READY}`)).split('\n').sort();

const heal = (...healed: ShownVnfc[]): Promise<string> =>
  deployed.api.accept(`${path}/heal`, { vnfcInstanceId: healed.map(({ id }) => id), cause: 'its VM is dead' });

describe('a cluster whose only master has died', () => {
  it(
    'is healed of its snapshot, although k8s-mgmt dies meanwhile: what users made is there, and who had a token has it yet',
    async () => {
      await kubectl('create', 'configmap', 'of-a-user', '--from-literal=said=before');
      expect(
        await ended(await deployed.api.accept(`${path}/scale`, { type: 'SCALE_OUT', aspectId: 'worker_instance' })),
      ).toMatchObject({
        operationState: 'COMPLETED',
      });
      const before = await readyNodes();
      expect(before).toHaveLength(4);
      await kubectl('create', 'configmap', 'of-a-later-user', '--from-literal=said=after');
      const token = JSON.stringify(
        await deployed.api.post(`/windlass/v1/vnf_instances/${path.split('/').at(-1) ?? ''}/kubeconfig`, {}),
      );
      const [master] = await vnfcs('masterNode');
      await deployed.lab.fleet.shutDown(serverOf(master!));
      const kills: Promise<void>[] = [];
      const healed = await ended(await heal(master!), (seen) => {
        if (kills.length === 0 && seen.some(({ action, state }) => action === 'restore-control-plane' && state === 'running'))
          kills.push(killService(deployed, 'k8s-mgmt'));
      });
      await Promise.all(kills);
      expect(healed, JSON.stringify(healed)).toMatchObject({ operationState: 'COMPLETED' });
      expect(kills).toHaveLength(1);
      const [another] = await vnfcs('masterNode');
      expect(another?.id).toBe(master?.id);
      expect(serverOf(another!)).not.toBe(serverOf(master!));
      await nodesCome(readyNodes, before);
      expect(await kubectl('get', 'configmaps', '-o', 'name')).toMatch(/of-a-user$/m);
      expect(await kubectl('get', 'configmaps', '-o', 'name')).not.toMatch(/of-a-later-user/);
      const warnings = await operationWarnings(deployed.api, String(healed.id));
      expect(warnings.join('\n')).toMatch(/is made again of the snapshot of/);

      const [worker] = await vnfcs('workerNode');
      const listed = 'umask 077; cat > /root/taken && kubectl --kubeconfig=/root/taken get nodes -o name; rm /root/taken';
      const { stdout, stderr } = await deployed.lab.fleet.exec(serverOf(worker!), ['sh', '-c', listed], { input: token });
      expect(stdout.trim().split('\n'), stderr).toHaveLength(4);
    },
    minutes(15),
  );

  it(
    'comes back with a worker that died with it, and its snapshot is of what it was until then',
    async () => {
      const before = await readyNodes();
      const [master] = await vnfcs('masterNode');
      const [worker] = await vnfcs('workerNode');
      await kubectl('create', 'configmap', 'of-the-last-user', '--from-literal=said=last');
      await deployed.lab.fleet.shutDown(serverOf(worker!));
      const healed = await ended(await heal(master!, worker!));
      expect(healed, JSON.stringify(healed)).toMatchObject({ operationState: 'COMPLETED' });
      expect(steps.filter(({ action }) => action === 'join-worker')).toHaveLength(1);
      await nodesCome(readyNodes, before);
      // The master lived: it was asked for one more.
      expect(await kubectl('get', 'configmaps', '-o', 'name')).toMatch(/of-the-last-user$/m);
    },
    minutes(15),
  );

  it(
    'goes back to a snapshot that somebody had taken and names, though its master lives',
    async () => {
      const snapshots = `/windlass/v1/vnf_instances/${path.split('/').at(-1) ?? ''}/snapshots`;
      const kept = () => deployed.api.get<{ id: string; operationId: string }[]>(snapshots);
      const taken = await ended(await deployed.api.accept(snapshots, { task: 'take' }));
      expect(taken, JSON.stringify(taken)).toMatchObject({ operationState: 'COMPLETED' });
      const named = (await kept()).find(({ operationId }) => operationId === taken.id);
      expect(named, 'a snapshot that was asked for is kept').toBeDefined();
      await kubectl('delete', 'configmap', 'of-a-user');
      await kubectl('create', 'configmap', 'of-a-mistake');
      const before = await readyNodes();
      const listed = (await kept()).map(({ id }) => id);
      const [master] = await vnfcs('masterNode');
      const additionalParams = { snapshot: named?.id };
      const healed = await ended(await deployed.api.accept(`${path}/heal`, { vnfcInstanceId: [master!.id], additionalParams }));
      expect(healed, JSON.stringify(healed)).toMatchObject({ operationState: 'COMPLETED' });
      await nodesCome(readyNodes, before);
      const names = await kubectl('get', 'configmaps', '-o', 'name');
      expect(names).toMatch(/of-a-user$/m);
      expect(names).not.toMatch(/of-a-mistake/);
      expect(
        (await kept()).map(({ id }) => id),
        'none was taken before',
      ).toEqual(listed);
    },
    minutes(15),
  );
});
