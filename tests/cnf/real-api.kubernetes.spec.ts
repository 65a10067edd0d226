import type { JsonObject } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, startSystem, type System } from '../support/system.js';
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

const finished = (answer: Parameters<typeof atRest>[1]): Promise<JsonObject> => atRest(system.api, answer, REAL_WITHIN);

/** Claims of a StatefulSet, which its end leaves; a kind of its own, and an object of that kind. */
const OTHERS = `
apiVersion: example.org/v1
kind: Gizmo
metadata: { name: gizmo }
spec: { size: 3 }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gizmos.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { plural: gizmos, singular: gizmo, kind: Gizmo }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: keeper }
spec:
  replicas: 2
  serviceName: keeper
  selector: { matchLabels: { app: keeper } }
  template:
    metadata: { labels: { app: keeper } }
    spec:
      terminationGracePeriodSeconds: 1
      containers: [ { name: keeper, image: docker.io/library/busybox:1.36 } ]
  volumeClaimTemplates:
    - metadata: { name: kept }
      spec: { accessModes: [ ReadWriteOnce ], resources: { requests: { storage: 1Gi } } }
`;

describe('on the API server and controllers of a real Kubernetes', () => {
  it('a VNF of several kinds, one of them its own, is instantiated, shown by its pods, and terminated to nothing', async () => {
    const { api } = system;
    const vnfdId = await onboardWith(system, '50000000-93b5-4d1a-b6a7-1f5d82e03c94', OTHERS);
    const url = await createVnf(api, vnfdId);
    const op = await finished(await api.post(`${url}/instantiate`, await cnfRequest(vimId, withFiles())));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const { data } = await api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: { vduId: string }[] } }>(url);
    expect(data.instantiatedVnfInfo.vnfcResourceInfo.map(({ vduId }) => vduId)).toEqual(['VDU1', 'VDU2', 'keeper', 'keeper']);
    const end = await finished(await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await ownObjects(cluster)).toEqual([]);
    expect((await cluster.api.get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gizmos.example.org')).status).toBe(
      404,
    );
  });

  it('a field that the cluster does not know ends the operation before anything is made, with file, document and field', async () => {
    const { api } = system;
    const misspelt = `
apiVersion: v1
kind: ConfigMap
metadata: { name: fine }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: misspelt }
spec:
  replica: 2
  selector: { matchLabels: { app: a } }
  template:
    metadata: { labels: { app: a } }
    spec: { containers: [ { name: c, image: "busybox:1.36", imagePullPolicy: Sometimes } ] }
`;
    const url = await createVnf(api, await onboardWith(system, '60000000-93b5-4d1a-b6a7-1f5d82e03c94', misspelt));
    const op = await finished(await api.post(`${url}/instantiate`, await cnfRequest(vimId, withFiles())));
    expect(op).toMatchObject({ operationState: 'ROLLED_BACK' });
    expect(JSON.stringify(op.error)).toMatch(/other\.yaml, document 2.*spec\.replica\b/);
    expect(await ownObjects(cluster)).toEqual([]);
  });

  it('what is made is owned by our field manager, by apply, and nothing of it is left', async () => {
    const { api } = system;
    const shown = await onboard(api, 'cnf');
    const url = await createVnf(api, shown.vnfdId);
    const op = await finished(await api.post(`${url}/instantiate`, await cnfRequest(vimId)));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const path = '/apis/apps/v1/namespaces/default/deployments/web';
    const { data } = await cluster.api.get<{ metadata: { managedFields: { manager: string; operation: string }[] } }>(path);
    expect(data.metadata.managedFields).toContainEqual(expect.objectContaining({ manager: 'windlass', operation: 'Apply' }));
    await finished(await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(await ownObjects(cluster)).toEqual([]);
  });
});
