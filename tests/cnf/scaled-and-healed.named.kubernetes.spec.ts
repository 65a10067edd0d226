import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, startSystem, type System } from '../support/system.js';
import { cnfRequest, ownObjects, registerCluster } from './support/cluster.js';
import { onboardWith, withFiles } from './support/packages.js';
import { REAL_WITHIN, RealControlPlane } from './support/real-control-plane.js';

let system: System;
let cluster: RealControlPlane;
let vimId: string;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), RealControlPlane.start()]);
  vimId = await registerCluster(system, cluster);
});

afterAll(async () => {
  await system.close();
  await cluster.close();
});

/** What the aspect of the sample scales, as another kind. */
const web = (kind: string): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: { name: web }
spec:
  ${kind === 'StatefulSet' ? 'serviceName: web' : 'minReadySeconds: 0'}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers: [ { name: web, image: "docker.io/library/busybox:1.36" } ]
`;

const FILES = ['Files/kubernetes/other.yaml', 'Files/kubernetes/asker.yaml'];

interface Vnfc {
  id: string;
  vduId: string;
  metadata: { pod_uid: string };
}

async function podsOf(url: string): Promise<Vnfc[]> {
  const { data } = await system.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: Vnfc[] } }>(url);
  return data.instantiatedVnfInfo.vnfcResourceInfo.filter(({ vduId }) => vduId === 'VDU1');
}

const KINDS = ['Deployment', 'StatefulSet', 'ReplicaSet'];

describe.each(KINDS)('a VNF whose aspect scales a %s of a real API server', (kind) => {
  let url: string;

  async function done(
    task: string,
    body: JsonObject,
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const accepted = await system.api.post(`${url}/${task}`, body);
    const [op] = await Promise.all([atRest(system.api, accepted, REAL_WITHIN), meanwhile()]);
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
  }

  it('is instantiated, scaled while the API server is killed, healed while the service is replaced, scaled in, and terminated to nothing', async () => {
    const id = `8000000${KINDS.indexOf(kind)}-93b5-4d1a-b6a7-1f5d82e03c94`;
    url = await createVnf(system.api, await onboardWith(system, id, web(kind)));
    await done('instantiate', await cnfRequest(vimId, withFiles(FILES)));
    const [first] = await podsOf(url);

    await done('scale', { type: 'SCALE_OUT', aspectId: 'web', numberOfSteps: 2 }, () => cluster.killApi());
    const three = await podsOf(url);
    expect(three).toHaveLength(3);
    expect(three.map(({ metadata }) => metadata.pod_uid)).toContain(first?.metadata.pod_uid);

    await done('heal', { vnfcInstanceId: [first!.id] }, () => system.replaceInfra());
    const healed = await podsOf(url);
    expect(healed).toHaveLength(3);
    expect(healed.map(({ metadata }) => metadata.pod_uid)).not.toContain(first?.metadata.pod_uid);
    expect(healed.map((each) => each.id).includes(first!.id)).toBe(kind === 'StatefulSet');

    await done('heal', {});
    const before = healed.map(({ metadata }) => metadata.pod_uid);
    const all = await podsOf(url);
    expect(all).toHaveLength(3);
    expect(all.filter(({ metadata }) => before.includes(metadata.pod_uid))).toEqual([]);

    await done('scale', { type: 'SCALE_IN', aspectId: 'web', numberOfSteps: 2 });
    expect(await podsOf(url)).toHaveLength(1);
    await done('terminate', { terminationType: 'FORCEFUL' }, () => cluster.killApi());
    expect(await ownObjects(cluster)).toEqual([]);
  });
});
