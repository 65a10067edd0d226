import type { AxiosResponse } from 'axios';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { oneDriver, startDrivers } from '@windlass/driver-kit';
import { defaultSettings, k8sParts } from '@windlass/k8s-mgmt';
import { PARAMS, wrongFields } from '@windlass/k8s-mgmt/testing';
import { NatsCoordinatorClient, RequestClient, type Enrolment } from '@windlass/messaging';
import { clusterVimId } from '@windlass/mgmt-driver';
import { FakeHosts } from '@windlass/mgmt-driver/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ssh2 from 'ssh2';
import { newToken, startEnrolment } from '../support/enrolment.js';
import { atRest, onboard, quiet, registerVim, sampleRequest, startSystem, type System } from '../support/system.js';

const ROOT = `/additionalParams/${PARAMS}`;

interface Problem {
  status: number;
  detail: string;
  invalidParams: { path: string; reason: string }[];
}

let system: System;
let driver: Awaited<ReturnType<typeof startDrivers>>;
let enrolment: Enrolment;
let vnf: string;
let request: JsonObject;

beforeAll(async () => {
  system = await startSystem();
  await registerVim(system);
  const { link, database, masterKeys } = system;
  const worker = { service: 'k8s-mgmt', worker: 'test', link, log: quiet };
  enrolment = startEnrolment({ ...worker, token: (await newToken(database, masterKeys, worker)).text });
  driver = await startDrivers({
    ...oneDriver(k8sParts(defaultSettings)),
    link,
    enrolment,
    coordinator: new NatsCoordinatorClient(new RequestClient(link), enrolment),
    hosts: new FakeHosts(),
    replica: 'test',
    log: quiet,
  });
  await waitUntil(() => Promise.resolve(driver.ready || undefined), {
    for: 'the driver to be kept',
    within: seconds(60),
    every: seconds(0.1),
  });
  const { vnfdId } = await onboard(system.api, 'kubernetes-storage');
  const { data } = await system.api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
  vnf = `/vnflcm/v1/vnf_instances/${data.id}`;
  request = await sampleRequest('instantiate-kubernetes-storage.json', 'net0');
});
afterAll(async () => {
  await driver.stop();
  await enrolment.stop();
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

  it('is refused where another VIM of the project has the name, before anything is installed; its own of an earlier try is no other', async () => {
    const { vim_name: name } = (request.additionalParams as JsonObject)[PARAMS] as JsonObject;
    const other = '6f1b4c1e-0b8f-4c3e-9f53-000000000001';
    const named = `INSERT INTO vim.vim (id, tenant, name, type, auth_url, auth_cred) VALUES ($1, $2, $3, 'kubernetes', 'https://x', '')`;
    await system.database.query(named, [other, 'default', name]);
    const refused = await instantiate(request.additionalParams as JsonObject);
    expect(refused.status, JSON.stringify(refused.data)).toBe(400);
    expect(refused.data.invalidParams).toEqual([
      { path: `${ROOT}/vim_name`, reason: `the project has a VIM named ${String(name)} already: choose another name` },
    ]);
    // Neither its own nor another project's is in the way: then it is the body that lacks something else, or it is accepted.
    const own = clusterVimId(vnf.split('/').at(-1) ?? '');
    await system.database.query('UPDATE vim.vim SET id = $2 WHERE id = $1', [other, own]);
    const asked = {
      ...request,
      additionalParams: {
        [PARAMS]: { ...((request.additionalParams as JsonObject)[PARAMS] as JsonObject), script_path: 'no/such' },
      },
    };
    const { data } = await system.api.post<Problem>(`${vnf}/instantiate`, asked);
    expect(data.invalidParams.map(({ path }) => path)).toEqual([`${ROOT}/script_path`]);
    await system.database.query('DELETE FROM vim.vim WHERE id = $1', [own]);
  });

  it('is refused at the address that it gives a machine, where the cluster would take that for one of its pods', async () => {
    const { extVirtualLinks } = request as unknown as { extVirtualLinks: { extCps: { cpdId: string }[] }[] };
    const [link] = extVirtualLinks;
    const ipAddresses = [{ type: 'IPV4', fixedAddresses: ['192.168.7.20'] }];
    const cpProtocolData = [{ layerProtocol: 'IP_OVER_ETHERNET', ipOverEthernet: { ipAddresses } }];
    const extCps = [{ cpdId: link?.extCps[0]?.cpdId ?? '', cpConfig: [{ cpProtocolData }] }];
    const { [PARAMS]: cluster } = request.additionalParams as Record<string, JsonObject>;
    const master_node = { ...(cluster?.master_node as JsonObject), pod_cidr: '192.168.0.0/16' };
    const asked = {
      ...request,
      extVirtualLinks: [{ ...link, extCps }],
      additionalParams: { [PARAMS]: { ...cluster, master_node } },
    };
    const { status, data } = await system.api.post<Problem>(`${vnf}/instantiate`, asked);
    expect(status, JSON.stringify(data)).toBe(400);
    expect(data.invalidParams).toEqual([
      {
        path: '/extVirtualLinks/0/extCps/0/cpConfig/0/cpProtocolData/0/ipOverEthernet/ipAddresses/0/fixedAddresses/0',
        reason: expect.stringContaining('lies in pod_cidr 192.168.0.0/16') as string,
      },
    ]);
  });

  it('whose key takes long to open is looked at beside other requests, and refused where its passphrase is another', async () => {
    const made = { bits: 256, passphrase: 'open sesame', cipher: 'aes256-ctr', rounds: 32 } as const;
    const { private: key } = ssh2.utils.generateKeyPairSync('ecdsa', made);
    const { [PARAMS]: cluster } = request.additionalParams as Record<string, JsonObject>;
    const { password: _password, ...login } = cluster?.master_node as JsonObject;
    const master_node = { ...login, private_key: key, passphrase: 'open sasame' };
    let ticks = 0;
    const other = setInterval(() => (ticks += 1), 5);
    const refused = await instantiate({ [PARAMS]: { ...cluster, master_node } });
    clearInterval(other);
    expect(refused.status, JSON.stringify(refused.data)).toBe(400);
    expect(refused.data.invalidParams).toEqual([
      { path: `${ROOT}/master_node/passphrase`, reason: 'does not open the private key' },
    ]);
    // The service runs in this process: opening the key in it would have left room for none.
    expect(ticks).toBeGreaterThan(20);
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
