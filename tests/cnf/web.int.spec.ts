import type { JsonObject } from '@windlass/foundation';
import { schemaErrors } from '@windlass/sol003/schemas';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';
import {
  cnfRequest,
  made,
  ownObjects,
  registerAsClusterOf,
  registerCluster,
  standinCluster,
  type CnfCluster,
} from './support/cluster.js';
import { onboardWith, withFiles } from './support/packages.js';

const CLAIM = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { accessModes: [ ReadWriteMany ], storageClassName: '', resources: { requests: { storage: 1Gi } } }
`;

let system: System;
let cluster: CnfCluster;
let vimId: string;
let vnfdId: unknown;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), standinCluster()]);
  vimId = await registerCluster(system, cluster);
  const shown = await onboard(system.api, 'cnf');
  expect(shown, JSON.stringify(shown)).toMatchObject({ onboardingState: 'ONBOARDED' });
  ({ vnfdId } = shown);
});

afterAll(async () => {
  await system.close();
  await cluster.close();
});

const request = (change?: (body: JsonObject) => void): Promise<JsonObject> => cnfRequest(vimId, change);

describe('a VNF of manifests on a registered cluster', () => {
  it('is instantiated into two namespaces, shows its pods as VNFCs, keeps its cluster registered, and is terminated to nothing', async () => {
    const { api } = system;
    const url = await createVnf(api, vnfdId, { vnfInstanceName: 'web' });
    const op = await atRest(api, await api.post(`${url}/instantiate`, await request()));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const { data: instance } = await api.get<JsonObject>(url);
    expect(schemaErrors('VnfInstance', instance)).toEqual([]);
    expect(instance).toMatchObject({
      instantiationState: 'INSTANTIATED',
      instantiatedVnfInfo: {
        vnfState: 'STARTED',
        scaleStatus: [{ aspectId: 'web', scaleLevel: 0 }],
        vnfcResourceInfo: [
          {
            vduId: 'VDU1',
            computeResource: {
              vimConnectionId: 'cluster',
              resourceId: expect.stringMatching(/^web-/) as string,
              vimLevelResourceType: 'Deployment',
            },
            metadata: { namespace: 'default', workload: 'web', hostname: 'node1' },
          },
          {
            vduId: 'VDU2',
            computeResource: { resourceId: expect.stringMatching(/^asker-/) as string },
            metadata: { namespace: 'askers' },
          },
        ],
      },
    });
    const deployment = await cluster.api.get<JsonObject>('/apis/apps/v1/namespaces/default/deployments/web');
    expect(deployment.data).toMatchObject({ metadata: { labels: { 'windlass/vnf-instance': instance.id } } });
    const removed = await api.delete(`/v1.0/vims/${vimId}`);
    expect(JSON.stringify(removed.data)).toContain(String(instance.id));
    expect((await api.post(`${url}/operate`, { changeStateTo: 'STOPPED' })).status).toBe(409);

    const end = await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(end, JSON.stringify(end)).toMatchObject({ operationState: 'COMPLETED' });
    expect(await ownObjects(cluster)).toEqual([]);
    expect((await api.delete(url)).status).toBe(204);
  });

  it('has as many pods as its instantiation level says', async () => {
    const { api } = system;
    const url = await createVnf(api, vnfdId);
    const accepted = await api.post(`${url}/instantiate`, await request((body) => (body.instantiationLevelId = 'large')));
    expect(await atRest(api, accepted)).toMatchObject({ operationState: 'COMPLETED' });
    const { data } = await api.get<JsonObject>(url);
    expect(data).toMatchObject({
      instantiatedVnfInfo: {
        scaleStatus: [{ scaleLevel: 1 }],
        vnfcResourceInfo: [{ vduId: 'VDU1' }, { vduId: 'VDU1' }, { vduId: 'VDU2' }],
      },
    });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(await ownObjects(cluster)).toEqual([]);
  });

  it('holds its cluster: the VNF that is the cluster can be terminated once it is gone, and not before, which says its name', async () => {
    const { api } = system;
    await registerVim(system);
    const { vnfdId: simple } = await onboard(api, 'simple-vm');
    const clusterUrl = await createVnf(api, simple, { vnfInstanceName: 'the cluster' });
    await atRest(api, await api.post(`${clusterUrl}/instantiate`, await sampleRequest('instantiate-simple-vm.json', 'net0')));
    const clusterVim = await registerAsClusterOf(system, cluster, clusterUrl.split('/').at(-1)!);
    const url = await createVnf(api, vnfdId, { vnfInstanceName: 'on the cluster' });
    expect(await atRest(api, await api.post(`${url}/instantiate`, await cnfRequest(clusterVim)))).toMatchObject({
      operationState: 'COMPLETED',
    });

    const refused = await api.post(`${clusterUrl}/terminate`, { terminationType: 'FORCEFUL' });
    expect(refused, JSON.stringify(refused.data)).toMatchObject({
      status: 409,
      data: { code: 'vim.in-use', detail: expect.stringContaining('"on the cluster"') as string },
    });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(await atRest(api, await api.post(`${clusterUrl}/terminate`, { terminationType: 'FORCEFUL' }))).toMatchObject({
      operationState: 'COMPLETED',
    });
  });

  it('binds a PersistentVolume of the cluster’s storage server by its claim, and leaves it with its data when it is terminated', async () => {
    const { api } = system;
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      // As storage-mgmt registers it: with the label of the VNF that the cluster is.
      metadata: { name: 'of-the-storage-server', labels: { 'windlass/vnf-instance': '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72' } },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        nfs: { server: '10.10.0.40', path: '/volume/nfs' },
      },
    };
    await made(cluster.api, '/api/v1/persistentvolumes', volume);
    const id = await onboardWith(system, '90000000-93b5-4d1a-b6a7-1f5d82e03c94', CLAIM);
    const url = await createVnf(api, id, { vnfInstanceName: 'with a volume' });
    const op = await atRest(api, await api.post(`${url}/instantiate`, await request(withFiles())));
    expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
    const phaseOf = async (): Promise<unknown> =>
      (await cluster.api.get<JsonObject>('/api/v1/persistentvolumes/of-the-storage-server')).data;
    expect(await phaseOf()).toMatchObject({ spec: { claimRef: { name: 'data' } }, status: { phase: 'Bound' } });
    await atRest(api, await api.post(`${url}/terminate`, { terminationType: 'FORCEFUL' }));
    expect(await ownObjects(cluster)).toEqual([]);
    expect(await phaseOf()).toMatchObject({ metadata: { labels: volume.metadata.labels }, spec: { nfs: volume.spec.nfs } });
  });
});
