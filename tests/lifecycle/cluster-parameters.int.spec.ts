import type { AxiosResponse } from 'axios';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { defaultSettings, startK8sMgmt } from '@windlass/k8s-mgmt';
import { PARAMS, wrongFields } from '@windlass/k8s-mgmt/testing';
import { Enrolment, KeyPair, RequestClient } from '@windlass/messaging';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

const ROOT = `/additionalParams/${PARAMS}`;

interface Problem {
  status: number;
  detail: string;
  invalidParams: { path: string; reason: string }[];
}

let system: System;
let driver: Awaited<ReturnType<typeof startK8sMgmt>>;
let vnf: string;
let request: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { link } = system;
  driver = await startK8sMgmt({
    link,
    // It claims nothing here, so nobody need know its key.
    enrolment: new Enrolment({
      client: new RequestClient(link),
      service: 'k8s-mgmt',
      worker: 'test',
      keys: KeyPair.generate(),
      log: quiet,
    }),
    hosts: new FakeHosts(),
    settings: defaultSettings,
    replica: 'test',
    log: quiet,
  });
  await waitUntil(() => Promise.resolve(driver.ready || undefined), {
    for: 'the driver to be kept',
    within: seconds(60),
    every: seconds(0.1),
  });
  const { vnfdId } = await onboard(system.api, 'kubernetes');
  const { data } = await system.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
  vnf = `/vnflcm/v1/vnf_instances/${data.id}`;
  request = await sampleRequest('instantiate-kubernetes-simple.json', 'net0');
});
afterAll(async () => {
  await driver.stop();
  await system.close();
});

/** The sample's request with these parameters of the cluster; beside them the guide has its user data script, which is refused of itself. */
const instantiate = (params: JsonObject): Promise<AxiosResponse<Problem>> => {
  const { [PARAMS]: cluster } = params;
  return system.api.post(`${vnf}/instantiate`, {
    ...request,
    additionalParams: cluster === undefined ? {} : { [PARAMS]: cluster },
  });
};

describe('a request for a cluster', () => {
  it.each(wrongFields())('is refused at $path, and nothing begins, when it $how', async ({ path, params }) => {
    const { status, headers, data } = await instantiate(params);
    expect(status, JSON.stringify(data)).toBe(400);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(data.invalidParams.map((fault) => fault.path)).toEqual([`${ROOT}${path}`]);
    expect(data).toMatchObject({ status: 400, detail: expect.stringMatching(`^${ROOT}${path}: .`) as string });
    expect((await system.api.get<unknown[]>('/vnflcm/v1/vnf_lcm_op_occs')).data).toEqual([]);
  });

  it('leaves the instance free for the next operation, and not instantiated', async () => {
    const renamed = await atRest(system.api, await system.api.patch(vnf, { vnfInstanceName: 'free' }));
    expect(renamed).toMatchObject({ operationState: 'COMPLETED' });
    expect((await system.api.get<JsonObject>(vnf)).data).toMatchObject({
      vnfInstanceName: 'free',
      instantiationState: 'NOT_INSTANTIATED',
    });
  });
});
