import { millis, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, createVnf, onboard, startSystem, type System } from '../support/system.js';
import {
  cnfRequest,
  ownObjects,
  registerAsClusterOf,
  registerCluster,
  standinCluster,
  type CnfCluster,
} from './support/cluster.js';

let system: System;
let cluster: CnfCluster;
let url: string;

beforeAll(async () => {
  [system, cluster] = await Promise.all([startSystem(), standinCluster()]);
  const vimId = await registerCluster(system, cluster);
  const { vnfdId } = await onboard(system.api, 'cnf');
  url = await createVnf(system.api, vnfdId, { vnfInstanceName: 'web' });
  const op = await atRest(system.api, await system.api.post(`${url}/instantiate`, await cnfRequest(vimId)));
  expect(op, JSON.stringify(op)).toMatchObject({ operationState: 'COMPLETED' });
});

afterAll(async () => {
  await system.close();
  await cluster.close();
});

interface Finding {
  type: string;
  name: string;
  detail: string;
}

interface Report {
  vims: { name: string; failure?: string }[];
  orphans: Finding[];
  missing: Finding[];
  differences: Finding[];
  unclaimed: Finding[];
  cleanUps: string[];
}

const ended = <T extends { state: string }>(at: string): Promise<T> =>
  waitUntil(
    async (seen) => {
      const { data } = await system.api.get<T>(at);
      seen(JSON.stringify(data));
      return data.state === 'PENDING' ? undefined : data;
    },
    { for: `${at} to end`, within: seconds(60), every: millis(100) },
  );

async function audit(fix = false): Promise<Report> {
  const accepted = await system.api.post('/windlass/v1/audits', { fix });
  const { report } = await ended<{ state: string; report: Report }>(String(accepted.headers.location));
  for (const id of report.cleanUps) expect(await ended(`/windlass/v1/clean_ups/${id}`)).toMatchObject({ state: 'DONE' });
  return report;
}

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web';
const nothing = { orphans: [], missing: [], differences: [], unclaimed: [] };

/** An object as a field manager applies it. */
async function applied(name: string, vnf: string, deployment: string, fieldManager: string): Promise<void> {
  const labels = { 'windlass/vnf-instance': vnf, 'windlass/deployment': deployment };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels }, data: { a: 'b' } };
  const { status, data } = await cluster.api.patch<unknown>(`${CONFIGMAPS}/${name}`, JSON.stringify(object), {
    params: { fieldManager },
    headers: { 'Content-Type': 'application/apply-patch+yaml' },
  });
  expect(status, JSON.stringify(data)).toBeLessThan(300);
}

describe('an audit of a cluster', () => {
  it('says nothing of what is as it should be: not of pods, nor of what controllers have made', async () => {
    expect(await audit()).toMatchObject({ ...nothing, vims: [{ name: 'cluster' }] });
  });

  it('tells what of an instance is missing, and what wants another number of pods', async () => {
    await cluster.api.delete(`${CONFIGMAPS}/pages`);
    await cluster.api.patch(DEPLOYMENT, JSON.stringify({ spec: { replicas: 2 } }), {
      headers: { 'Content-Type': 'application/merge-patch+json' },
    });
    expect(await audit()).toMatchObject({
      ...nothing,
      missing: [{ type: 'object', name: 'ConfigMap default/pages' }],
      differences: [{ name: 'Deployment default/web', detail: "it wants 2 pods, the instance's record has 1" }],
    });
  });

  it('removes orphans when it is told to, and nothing of a person’s, of another Windlass’s or of a VNF’s that is there', async () => {
    const { data } = await cluster.api.get<{ metadata: { labels: Record<string, string> } }>(DEPLOYMENT);
    const own = data.metadata.labels['windlass/deployment']!;
    const gone = '11111111-2222-4333-8444-555555555555';
    await applied('orphan', gone, own, 'windlass');
    await applied('of-a-person', gone, own, 'kubectl');
    await applied('of-another', gone, 'windlass-of-somebody-else', 'windlass');
    const before = await ownObjects(cluster);
    const report = await audit(true);
    expect(report.orphans).toMatchObject([{ type: 'object', name: 'ConfigMap default/orphan' }]);
    expect(report.unclaimed.map(({ name }) => name).sort()).toEqual([
      'ConfigMap default/of-a-person',
      'ConfigMap default/of-another',
    ]);
    expect(report.cleanUps).toHaveLength(1);
    expect(await ownObjects(cluster)).toEqual(before.filter((each) => each !== 'configmaps default/orphan'));
    expect((await audit()).orphans).toEqual([]);
  });

  it('tells of a cluster that does not answer, and of nothing else', async () => {
    const away = { url: 'https://127.0.0.1:9', token: 'none', ca: cluster.ca };
    await registerAsClusterOf(system, away, '3f32428d-e8ce-4d6a-9be9-4c7f3a02ac72');
    const { vims } = await audit();
    expect(vims.find(({ name }) => name === 'cluster-of-a-vnf')?.failure).toEqual(expect.any(String));
    expect(vims.find(({ name }) => name === 'cluster')?.failure).toBeUndefined();
  });
});
