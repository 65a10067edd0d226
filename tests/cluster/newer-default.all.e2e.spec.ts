import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCluster, startDeployed, type Deployed } from '../support/deployed.js';

interface ShownVnfc {
  id: string;
  vduId: string;
  computeResource: { resourceId: string };
}

/** Of the lab's repository, the older one; the service's default is the newer. */
const OLDER = '1.33.5';
const NEWER = '1.34.1';

/** What services are told: read again whenever one is started. */
const environment: Record<string, string> = { ENGINE_LEASE: '3s', ENGINE_MAX_LOSSES: '20', KUBERNETES_VERSION: OLDER };

let deployed: Deployed;
let path: string;

beforeAll(async () => {
  deployed = await startDeployed(environment);
  const { path: instance, request } = await newCluster(deployed);
  path = instance;
  const opOcc = await ended(await deployed.api.accept(`${path}/instantiate`, request));
  expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
  environment.KUBERNETES_VERSION = NEWER;
  await restarted('k8s-mgmt');
});

afterAll(() => deployed.close());

const ended = (opOccPath: string): Promise<JsonObject> => deployed.api.follow(opOccPath, minutes(5), () => undefined);

async function restarted(service: string): Promise<void> {
  const process_ = deployed.deployment.processes.find(({ name }) => name === service);
  const pid = process_?.pid;
  if (process_ === undefined || pid === undefined) throw new Error(`${service} does not run`);
  process.kill(pid, 'SIGKILL');
  await waitUntil(() => Promise.resolve(process_.pid !== pid ? true : undefined), {
    for: `${service} to be started again`,
    within: seconds(20),
    every: seconds(0.05),
  });
  await process_.ready(minutes(2));
}

async function vnfcs(vduId: string): Promise<ShownVnfc[]> {
  const { instantiatedVnfInfo } = await deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
  return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
}

/** Version of each node's kubelet, by the cluster's own word. */
async function kubelets(): Promise<string[]> {
  const [master] = await vnfcs('masterNode');
  const { stdout, stderr, status } = await deployed.lab.fleet.exec(master?.computeResource.resourceId ?? '', [
    'kubectl',
    '--kubeconfig=/etc/kubernetes/admin.conf',
    'get',
    'nodes',
    '-o',
    'jsonpath={range .items[*]}{.status.nodeInfo.kubeletVersion}{"\\n"}{end}',
  ]);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n');
}

describe('a cluster that was made before the service’s default version was raised', () => {
  it('is scaled out with its own version', async () => {
    const request = { type: 'SCALE_OUT', aspectId: 'worker_instance', additionalParams: {} };
    const opOcc = await ended(await deployed.api.accept(`${path}/scale`, request));
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await kubelets()).toEqual(Array.from({ length: 4 }, () => `v${OLDER}`));
  });

  it('is healed with its own version', async () => {
    const [worker] = await vnfcs('workerNode');
    const opOcc = await ended(await deployed.api.accept(`${path}/heal`, { vnfcInstanceId: [worker?.id ?? ''], cause: 'a test' }));
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
    const healed = (await vnfcs('workerNode')).find(({ id }) => id === worker?.id);
    expect(healed?.computeResource.resourceId).not.toBe(worker?.computeResource.resourceId);
    expect(await kubelets()).toEqual(Array.from({ length: 4 }, () => `v${OLDER}`));
  });
});
